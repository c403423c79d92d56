import type { OpeningDetail } from "@slipway/protocol/openings";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isAddress } from "../data/getReceiveCodeUrl.ts";
import { readOptions } from "../data/queries.ts";
import { DepositList } from "../features/opening/depositList.tsx";
import { OpeningActions } from "../features/opening/openingActions.tsx";
import { OpeningName } from "../features/opening/openingName.tsx";
import { OpeningSummary } from "../features/opening/openingSummary.tsx";
import { toDisplayText } from "../format/displayText.ts";
import { toSafeUrl } from "../format/links.ts";
import { useLiveOpening, useLiveStatus } from "../live/liveContext.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useChain, useConnection } from "../session/services.tsx";
import { Address } from "../ui/address.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorNote, getErrorCode } from "../ui/errorNote.tsx";
import { ExternalLink } from "../ui/externalLink.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Panel } from "../ui/panel.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { NotFoundPage } from "./notFoundPage.tsx";

const route = getRouteApi("/opening/$address");

const ReportButton = lazyPart(
  () => import("../features/report/reportButton.tsx"),
  (module) => module.ReportButton,
);

/** Milliseconds between reads without messages, and of a launch without the opening, which no message announces. */
const [fastMs, slowMs] = [4_000, 30_000];

/** Returns the milliseconds until the next read of an opening that messages keep current; false for none. */
function getPauseMs({ status, deadline }: OpeningDetail): number | false {
  if (status !== "open" && status !== "ready") return false;
  // The end of the deadline has no message either.
  return Math.max(fastMs, Math.min(slowMs, deadline * 1_000 - Date.now()));
}

export function OpeningPage(): ReactNode {
  const { address } = route.useParams();
  return isAddress(address) ? <Opening key={address.toLowerCase()} address={address} /> : <NotFoundPage />;
}

/** An opening: its terms, its deposits, the price for everybody, and the part of the connected wallet. */
function Opening({ address }: { address: string }) {
  const { opening: text } = useMessages();
  const { address: own } = useConnection();
  const currency = useChain()?.currency.symbol ?? "ETH";
  const input = { address, ...(own === null ? {} : { account: own }) };
  const isLive = useLiveStatus().state === "live";
  const query = useQuery({
    ...readOptions("getOpening", input),
    refetchInterval: ({ state }) => (isLive && state.data !== undefined ? getPauseMs(state.data) : fastMs),
    placeholderData: (shown) => shown,
  });
  const { data, error } = query;
  useLiveOpening(input, data !== undefined);
  // The shown part of another account is not the part of this one.
  const isOwn = data?.account?.address.toLowerCase() === own;
  const opening = data && !isOwn ? { ...data, account: null } : data;
  usePageTitle(opening?.blocked === false ? text.pageTitle(toDisplayText(opening.symbol)) : text.title);
  if (opening === undefined)
    return (
      <div className="page pb-6">
        <PageHead title={text.title} />
        {error === null ? (
          <Skeleton className="h-96 w-full" />
        ) : getErrorCode(error) === "opening_not_indexed" ? (
          <Notice tone="warning" title={text.notFound}>
            {text.notFoundHelp}
          </Notice>
        ) : (
          <ErrorNote error={error} onRetry={() => void query.refetch()} />
        )}
      </div>
    );
  const { name, blocked, description, website, creator, token } = opening;
  const link = website === null ? null : toSafeUrl(website);
  return (
    <div className="page flex flex-col gap-4 py-4 lg:py-6">
      {error === null ? null : <ErrorNote error={error} onRetry={() => void query.refetch()} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Avatar address={opening.address} size={48} />
        <div className="min-w-0 flex-1 basis-56">
          <h1 className="flex flex-wrap items-baseline gap-x-2 text-xl font-bold sm:text-2xl">
            <OpeningName opening={opening} symbolClass="text-base font-semibold text-muted" />
          </h1>
          <p className="flex flex-wrap gap-x-4 text-sm text-muted">
            <span>
              {text.by} <Address value={creator} copy />
            </span>
            <span>
              {text.contract} <Address value={opening.address} to={null} copy />
            </span>
            {link === null ? null : <ExternalLink href={link.href}>{link.host}</ExternalLink>}
          </p>
        </div>
        {token === null ? null : (
          <Link to="/t/$address" params={{ address: token }} className={buttonClasses("primary")}>
            {text.viewToken}
          </Link>
        )}
      </div>
      {blocked ? (
        <Notice tone="error" title={text.blocked}>
          {text.blockedHelp}
        </Notice>
      ) : null}
      {opening.name_warning === null ? null : <Notice tone="warning">{opening.name_warning}</Notice>}
      <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <OpeningSummary opening={opening} currency={currency} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 self-start lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <OpeningActions opening={opening} currency={currency} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title={text.how}>
            <ul className="flex list-disc flex-col gap-1.5 ps-5 text-sm">
              {text.howList.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            {description === null ? null : (
              <p className="mt-3 text-sm break-words whitespace-pre-line">
                <bdi>{toDisplayText(description)}</bdi>
              </p>
            )}
          </Panel>
          <DepositList
            address={address}
            currency={currency}
            own={own}
            refetchMs={isLive ? false : fastMs}
            total={opening.total}
          />
          {blocked ? null : (
            <p className="text-end">
              <ReportButton reported={{ kind: "opening", id: opening.address, name }} />
            </p>
          )}
        </div>
      </div>
    </div>
  );
}
