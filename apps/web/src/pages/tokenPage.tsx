import type { CandleInterval } from "@slipway/protocol/indexed";
import { ApiError } from "@slipway/sdk/apiError";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { baseUrl } from "../data/api.ts";
import { isAddress } from "../data/getReceiveCodeUrl.ts";
import { tokenOptions } from "../data/tokenQueries.ts";
import { ChartPanel } from "../features/chart/chartPanel.tsx";
import { AboutPanel } from "../features/token/aboutPanel.tsx";
import { FeesPanel } from "../features/token/feesPanel.tsx";
import { ReceivePanel } from "../features/token/receivePanel.tsx";
import { RecipientsPanel } from "../features/token/recipientsPanel.tsx";
import { TokenHeader } from "../features/token/tokenHeader.tsx";
import { TokenWarnings } from "../features/token/tokenWarnings.tsx";
import { TokenWindows } from "../features/token/tokenWindows.tsx";
import { TradeTape } from "../features/token/tradeTape.tsx";
import { TrustPanel } from "../features/token/trustPanel.tsx";
import { toDisplayText } from "../format/displayText.ts";
import { useLiveStatus, useLiveToken } from "../live/liveContext.tsx";
import { LiveNotice } from "../live/liveNotice.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useConnection } from "../session/services.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorBoundary } from "../ui/errorBoundary.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";
import { NotFoundPage } from "./notFoundPage.tsx";
import { TokenTrade } from "./tokenTrade.tsx";

const route = getRouteApi("/t/$address");

const ReportButton = lazyPart(
  () => import("../features/report/reportButton.tsx"),
  (module) => module.ReportButton,
);
const HolderList = lazyPart(
  () => import("../features/token/holderList.tsx"),
  (module) => module.HolderList,
);

const FactsPanel = lazyPart(
  () => import("../features/token/factsPanel.tsx"),
  (module) => module.FactsPanel,
);

/** Returns the initial candle interval, so that a token of any age has some dozens of candles. */
function getFirstInterval(launchedAt: string | null | undefined): CandleInterval {
  if (!launchedAt) return "1h";
  const hours = (Date.now() - Date.parse(launchedAt)) / 3_600_000;
  if (hours < 6) return "1m";
  if (hours < 36) return "5m";
  return hours < 60 * 24 ? "1h" : "1d";
}

const isUnknown = (error: Error | null) => error instanceof ApiError && error.code === "token_not_indexed";

/** Milliseconds between reads of the detail: its windows change without trades; a new launch is indexed in seconds. */
const [currentMs, unknownMs] = [60_000, 2_000];

export function TokenPage(): ReactNode {
  const { address } = route.useParams();
  return isAddress(address) ? <Token key={address.toLowerCase()} address={address} /> : <NotFoundPage />;
}

function Token({ address }: { address: string }) {
  const { token: texts, notFound } = useMessages();
  const { interval: chosenInterval, tab = "trades" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...tokenOptions(address),
    refetchInterval: ({ state }) => (isUnknown(state.error) ? unknownMs : currentMs),
  });
  const { data: token, error } = query;
  const interval = chosenInterval ?? getFirstInterval(token?.launched_at);
  useLiveToken(address, interval, token !== undefined);
  const { address: wallet } = useConnection();
  const stale = useLiveStatus().state === "paused" || (token !== undefined && query.isError);
  usePageTitle(token === undefined ? texts.loading : toDisplayText(`${token.name} (${token.symbol})`));

  if (token === undefined && error !== null) {
    return (
      <div className="page py-6">
        {isUnknown(error) ? (
          <div role="status" className="py-10 text-center">
            <h1 className="text-xl font-bold">{texts.notIndexedTitle}</h1>
            <p className="mt-2 text-muted">{texts.notIndexedBody}</p>
            <p className="mt-6 text-sm font-semibold break-all">{address}</p>
            <Link to="/" className={`mt-6 ${buttonClasses("primary", "lg")}`}>
              {notFound.toExplore}
            </Link>
          </div>
        ) : (
          <ErrorNote error={error} onRetry={() => void query.refetch()} busy={query.isFetching} />
        )}
      </div>
    );
  }
  const choose = (search: { interval?: CandleInterval; tab?: typeof tab }) =>
    void navigate({ search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false });
  return (
    <div className="page flex flex-col gap-4 py-4 pb-24 lg:py-6">
      <LiveNotice />
      {error === null ? null : <ErrorNote error={error} onRetry={() => void query.refetch()} busy={query.isFetching} />}
      <TokenHeader token={token} stale={stale} />
      {token ? <TokenWarnings warnings={token.warnings} /> : null}
      <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {token ? (
            <>
              <ErrorBoundary>
                <ChartPanel
                  token={token}
                  interval={interval}
                  onInterval={(next) => choose({ interval: next })}
                  stale={stale}
                />
              </ErrorBoundary>
              <ErrorBoundary>
                <TokenWindows windows={token.windows} stale={stale} />
              </ErrorBoundary>
              <ErrorBoundary>
                <section aria-label={texts.activity} className="panel overflow-hidden px-0 pt-1">
                  <Tabs
                    label={texts.activity}
                    value={tab}
                    items={[
                      { value: "trades", label: texts.trades },
                      { value: "holders", label: texts.holders },
                      { value: "facts", label: texts.facts },
                    ]}
                    onChange={(next) => choose({ tab: next })}
                  >
                    {tab === "trades" ? <TradeTape token={token} stale={stale} /> : null}
                    {tab === "holders" ? <HolderList token={token} stale={stale} /> : null}
                    {tab === "facts" ? <FactsPanel token={token} /> : null}
                  </Tabs>
                </section>
              </ErrorBoundary>
              <div className="grid min-w-0 items-start gap-4 sm:grid-cols-2">
                <ErrorBoundary>
                  <AboutPanel token={token} jsonUrl={`${baseUrl}/tokens/${encodeURIComponent(token.address)}`} />
                </ErrorBoundary>
                <ErrorBoundary>
                  <FeesPanel token={token} />
                </ErrorBoundary>
              </div>
            </>
          ) : (
            <>
              <Skeleton className="h-[26rem] rounded-md lg:h-[33rem]" />
              <Skeleton className="h-48 rounded-md sm:h-24" />
              <Skeleton className="h-96 rounded-md" />
            </>
          )}
        </div>
        <aside className="flex min-w-0 flex-col gap-4">
          {token ? (
            <>
              <ErrorBoundary>
                <TokenTrade token={token} stale={stale} />
              </ErrorBoundary>
              <ErrorBoundary>
                <TrustPanel token={token} />
              </ErrorBoundary>
              <ErrorBoundary>
                <RecipientsPanel token={token} />
              </ErrorBoundary>
              <ReceivePanel key={wallet} chainId={token.chain_id} wallet={wallet} />
              <p className="text-end">
                <ReportButton reported={{ kind: "token", id: token.address, name: token.name }} />
              </p>
            </>
          ) : (
            <>
              <Skeleton className="h-80 rounded-md" />
              <Skeleton className="h-72 rounded-md" />
            </>
          )}
        </aside>
      </div>
    </div>
  );
}
