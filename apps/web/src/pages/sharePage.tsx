import type { TokenDetail } from "@slipway/protocol/indexed";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isAddress } from "../data/getReceiveCodeUrl.ts";
import { readOptions } from "../data/queries.ts";
import { tokenOptions } from "../data/tokenQueries.ts";
import { CardPanel, ChartSnippetPanel, LinkPanel, TellRecipientsPanel } from "../features/share/sharePanels.tsx";
import { toDisplayText } from "../format/displayText.ts";
import { formatCount, formatUsd } from "../format/figures.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useConnection, useSession } from "../session/services.tsx";
import { Amount } from "../ui/amount.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorBoundary } from "../ui/errorBoundary.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Figure } from "../ui/figure.tsx";
import { Icon } from "../ui/icon.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Panel } from "../ui/panel.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { NotFoundPage } from "./notFoundPage.tsx";

const route = getRouteApi("/t/$address/share");

/** Everything with which a creator makes a token known: figures, link, picture, chart, and messages for recipients. */
export function SharePage(): ReactNode {
  const { address } = route.useParams();
  return isAddress(address) ? <Share address={address} /> : <NotFoundPage />;
}

function Share({ address }: { address: string }) {
  const { share: texts } = useMessages();
  const { data: token, error, isFetching, refetch } = useQuery({ ...tokenOptions(address), refetchInterval: 30_000 });
  return (
    <div className="page max-w-5xl pb-8">
      <Link
        to="/t/$address"
        params={{ address }}
        className="mt-4 inline-flex items-center gap-1.5 text-sm font-semibold text-accent"
      >
        <Icon name="arrowUp" size={14} className="-rotate-90 rtl:rotate-90" />
        {texts.back}
      </Link>
      <PageHead title={texts.title(token === undefined ? "" : toDisplayText(token.symbol))} lead={texts.lead} />
      {error === null ? null : (
        <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} className="mb-4" />
      )}
      {token === undefined ? (
        error === null ? (
          <Skeleton className="h-96 w-full rounded-md" />
        ) : null
      ) : (
        <ErrorBoundary>
          <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2 *:min-w-0">
            <div className="flex flex-col gap-4 *:min-w-0">
              <FiguresPanel token={token} />
              <LinkPanel token={token} />
              <TellRecipientsPanel token={token} />
            </div>
            <div className="flex flex-col gap-4 *:min-w-0">
              <CardPanel token={token} />
              <ChartSnippetPanel token={token} />
            </div>
          </div>
        </ErrorBoundary>
      )}
    </div>
  );
}

/** The figures of a token, with the fees of the connected wallet if it is a recipient. */
function FiguresPanel({ token }: { token: TokenDetail }) {
  const { share: texts } = useMessages();
  const { address: wallet } = useConnection();
  const isRecipient = token.recipients.some((one) => one.wallet.toLowerCase() === wallet?.toLowerCase());
  return (
    <Panel title={texts.soFar}>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3">
        <Figure name={texts.marketCap}>{formatUsd(token.market_cap_usd)}</Figure>
        <Figure name={texts.holders}>{formatCount(token.holders)}</Figure>
        <Figure name={texts.volume}>{formatUsd(token.volume_24h_usd)}</Figure>
      </dl>
      {wallet !== null && isRecipient ? <OwnFees token={token.address} wallet={wallet} /> : null}
    </Panel>
  );
}

function OwnFees({ token, wallet }: { token: string; wallet: string }) {
  const { share: texts } = useMessages();
  const isSignedIn = useSession().status === "signed_in";
  const { data } = useQuery({ ...readOptions("getFeePositions", { token, wallet }), enabled: isSignedIn });
  return (
    <div className="mt-4 flex flex-wrap items-end justify-between gap-3 border-t border-line pt-3">
      <dl>
        <Figure name={texts.fees}>
          {data === undefined ? (
            "—"
          ) : (
            <span className="flex flex-col">
              {data.balances.map(({ asset, symbol, decimals, lifetime }) => (
                <Amount key={asset} value={lifetime} decimals={decimals} symbol={symbol} />
              ))}
            </span>
          )}
        </Figure>
      </dl>
      <Link to="/fees" className={buttonClasses("secondary", "sm")}>
        {isSignedIn ? texts.feesPage : texts.feesSignIn}
      </Link>
    </div>
  );
}
