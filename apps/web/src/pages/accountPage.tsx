import type { accountSections } from "@slipway/protocol/sitePaths";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { CreditsPanel } from "../features/account/creditsPanel.tsx";
import { DataPanel } from "../features/account/dataPanel.tsx";
import { EventsPanel } from "../features/account/eventsPanel.tsx";
import { KeysPanel } from "../features/account/keysPanel.tsx";
import { LinksPanel } from "../features/account/linksPanel.tsx";
import { ListingsPanel } from "../features/account/listingsPanel.tsx";
import { ProfilePanel } from "../features/account/profilePanel.tsx";
import { SessionsPanel } from "../features/account/sessionsPanel.tsx";
import { WalletsPanel } from "../features/account/walletsPanel.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { SignInFirst } from "../session/signInFirst.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { NotFoundPage } from "./notFoundPage.tsx";

const route = getRouteApi("/account/{-$section}");

type Section = (typeof accountSections)[number];

/** The sections of the account by URL segment; the first one has no segment. */
const panels = {
  profile: ProfilePanel,
  wallets: WalletsPanel,
  links: LinksPanel,
  keys: KeysPanel,
  sessions: SessionsPanel,
  credits: CreditsPanel,
  listings: ListingsPanel,
  events: EventsPanel,
  data: DataPanel,
} as const satisfies Record<Section, ComponentType>;
const sections = Object.keys(panels) as Section[];

/** Scrolls the chosen section into view, because the section list scrolls sideways on a phone. */
const showWhole = (part: HTMLElement | null) => {
  const row = part?.parentElement;
  if (part && row) row.scrollLeft = part.offsetLeft - (row.clientWidth - part.clientWidth) / 2;
};

/** The account, one section at a time. */
export function AccountPage() {
  const { account: text } = useMessages();
  const { section: named = "profile" } = route.useParams();
  const section = sections.find((each) => each === named);
  if (section === undefined) return <NotFoundPage />;
  const Part = panels[section];
  return (
    <div className="page pb-10">
      <PageHead
        title={section === "profile" ? text.title : `${text.sections[section]} · ${text.title}`}
        lead={text.lead}
      />
      <SignInFirst action={text.signIn}>
        <div className="grid grid-cols-1 gap-x-8 gap-y-4 items-start lg:grid-cols-[11rem_minmax(0,48rem)]">
          <nav aria-label={text.navigation} className="-mx-1 min-w-0">
            <ul className="relative flex gap-1 overflow-x-auto border-b border-line p-1 lg:flex-col lg:border-0">
              {sections.map((each) => (
                <li key={each} ref={each === section ? showWhole : undefined} className="shrink-0">
                  <Link
                    to="/account/{-$section}"
                    params={{ section: each === "profile" ? undefined : each }}
                    activeOptions={{ exact: true }}
                    resetScroll={false}
                    className="flex min-h-10 items-center rounded-sm px-3 py-2 text-sm font-semibold text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
                  >
                    {text.sections[each]}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <Part key={section} />
        </div>
      </SignInFirst>
    </div>
  );
}
