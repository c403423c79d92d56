import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { pageOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { MoreButton } from "../../ui/moreButton.tsx";
import { Panel } from "../../ui/panel.tsx";
import { OpeningStatusMark } from "./openingStatusMark.tsx";

/** The openings in which a wallet has a deposit. Renders nothing without any. */
export function JoinedOpenings({ address }: { address: string }) {
  const { opening: text } = useMessages();
  const query = useInfiniteQuery(pageOptions("listOpenings", { depositor: address.toLowerCase() }));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={text.title} className="self-stretch">
      <ul className="flex flex-col gap-2 text-sm">
        {items.map(({ address: opening, name, symbol, status }) => (
          <li key={opening} className="flex items-center justify-between gap-3">
            <Link
              to="/opening/$address"
              params={{ address: opening }}
              className="min-w-0 font-semibold wrap-anywhere hover:underline"
            >
              <bdi>{toDisplayText(name)}</bdi> <bdi className="text-muted">{toDisplayText(symbol)}</bdi>
            </Link>
            <OpeningStatusMark status={status} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} label={text.more} />
    </Panel>
  );
}
