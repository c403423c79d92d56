import type { ListedInterval, TokenDetail } from "@slipway/protocol/indexed";
import { ApiError } from "@slipway/sdk/apiError";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { baseUrl } from "../data/api.ts";
import { awaitsPicture, pictureMs } from "../data/awaitsPicture.ts";
import { isAddress } from "../data/getReceiveCodeUrl.ts";
import { tokenOptions } from "../data/tokenQueries.ts";
import { ChartPanel } from "../features/chart/chartPanel.tsx";
import { TokenHeader } from "../features/token/tokenHeader.tsx";
import { TokenWarnings } from "../features/token/tokenWarnings.tsx";
import { TokenWindows } from "../features/token/tokenWindows.tsx";
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

const TradeTape = lazyPart(
  () => import("../features/token/tradeTape.tsx"),
  (module) => module.TradeTape,
);
const AboutPanel = lazyPart(
  () => import("../features/token/aboutPanel.tsx"),
  (module) => module.AboutPanel,
);
const RecipientsPanel = lazyPart(
  () => import("../features/token/recipientsPanel.tsx"),
  (module) => module.RecipientsPanel,
);
const FeesPanel = lazyPart(
  () => import("../features/token/feesPanel.tsx"),
  (module) => module.FeesPanel,
);
const TrustPanel = lazyPart(
  () => import("../features/token/trustPanel.tsx"),
  (module) => module.TrustPanel,
);
const TraderList = lazyPart(
  () => import("../features/token/traderList.tsx"),
  (module) => module.TraderList,
);
const DepthPanel = lazyPart(
  () => import("../features/token/depthPanel.tsx"),
  (module) => module.DepthPanel,
);
const PositionPanel = lazyPart(
  () => import("../features/trade/positionPanel.tsx"),
  (module) => module.PositionPanel,
);
const LaunchedNotice = lazyPart(
  () => import("../features/launch/launchedNotice.tsx"),
  (module) => module.LaunchedNotice,
);
const FactsPanel = lazyPart(
  () => import("../features/token/factsPanel.tsx"),
  (module) => module.FactsPanel,
);

/** Returns the initial candle interval, so that a token of any age has some dozens of candles. */
function getFirstInterval(launchedAt: string | null | undefined): ListedInterval {
  if (!launchedAt) return "1h";
  const hours = (Date.now() - Date.parse(launchedAt)) / 3_600_000;
  if (hours < 6) return "1m";
  if (hours < 36) return "5m";
  return hours < 60 * 24 ? "1h" : "1d";
}

const tabs = ["trades", "holders", "traders", "depth", "facts"] as const;

const isUnknown = (error: Error | null) => error instanceof ApiError && error.code === "token_not_indexed";

/** Milliseconds between reads of the detail: its windows change without trades; a new launch is indexed in seconds. */
const [currentMs, unknownMs] = [60_000, 2_000];

export function TokenPage(): ReactNode {
  const { address } = route.useParams();
  return isAddress(address) ? <Token key={address.toLowerCase()} address={address} /> : <NotFoundPage />;
}

type MissingTokenProps = { address: string; error: Error; onRetry: () => void; busy: boolean };

/** The page of a token that is not indexed, or that failed to load. */
function MissingToken({ address, ...failure }: MissingTokenProps): ReactNode {
  const { token: texts, notFound } = useMessages();
  return (
    <div className="page py-6">
      {isUnknown(failure.error) ? (
        <div role="status" className="py-10 text-center">
          <h1 className="text-xl font-bold">{texts.notIndexedTitle}</h1>
          <p className="mt-2 text-muted">{texts.notIndexedBody}</p>
          <p className="mt-6 text-sm font-semibold break-all">{address}</p>
          <Link to="/" className={`mt-6 ${buttonClasses("primary", "lg")}`}>
            {notFound.toExplore}
          </Link>
        </div>
      ) : (
        <>
          <h1 className="mb-4 text-xl font-bold break-all">{address}</h1>
          <ErrorNote {...failure} />
        </>
      )}
    </div>
  );
}

function Token({ address }: { address: string }) {
  const { token: texts } = useMessages();
  const { interval: chosenInterval, tab = "trades" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    ...tokenOptions(address),
    refetchInterval: ({ state }) =>
      isUnknown(state.error) ? unknownMs : awaitsPicture(state.data) ? pictureMs : currentMs,
  });
  const { data: token, error } = query;
  const interval = chosenInterval ?? getFirstInterval(token?.launched_at);
  useLiveToken(address, interval, token !== undefined);
  const { address: wallet } = useConnection();
  const choose = useCallback(
    (search: { interval?: ListedInterval; tab?: (typeof tabs)[number] }) =>
      void navigate({ search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false }),
    [navigate],
  );
  const chooseInterval = useCallback((next: ListedInterval) => choose({ interval: next }), [choose]);
  const stale = useLiveStatus().state === "paused" || (token !== undefined && query.isError);
  const isLaunched = useLocation({ select: ({ state }) => state.isLaunched === true });
  const missingTitle = error === null ? texts.loading : address;
  usePageTitle(token === undefined ? missingTitle : toDisplayText(`${token.name} (${token.symbol})`));

  if (token === undefined && error !== null) {
    return (
      <MissingToken address={address} error={error} onRetry={() => void query.refetch()} busy={query.isFetching} />
    );
  }
  return (
    <div className="page flex flex-col gap-4 py-4 pb-24 lg:py-6">
      <a
        href="#trade"
        className="sr-only rounded-sm bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:absolute focus:z-10"
      >
        {texts.skipToTrade}
      </a>
      <LiveNotice />
      {error === null ? null : <ErrorNote error={error} onRetry={() => void query.refetch()} busy={query.isFetching} />}
      <TokenHeader token={token} stale={stale} />
      {token && isLaunched ? <LaunchedNotice token={token} /> : null}
      {token ? <TokenWarnings warnings={token.warnings} /> : null}
      <div className="grid min-w-0 gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0 lg:col-start-1">
          {token ? (
            <ErrorBoundary>
              <ChartPanel token={token} interval={interval} wallet={wallet} stale={stale} onInterval={chooseInterval} />
            </ErrorBoundary>
          ) : (
            <Skeleton className="h-[26rem] rounded-md lg:h-[33rem]" />
          )}
        </div>
        {/* In the document before the lists, so that the keyboard reaches the trade box after the chart. */}
        <aside className="flex min-w-0 flex-col gap-4 max-lg:order-last lg:col-start-2 lg:row-span-2 lg:row-start-1">
          {token ? (
            <Aside token={token} wallet={wallet} stale={stale} />
          ) : (
            <>
              <Skeleton className="h-80 rounded-md" />
              <Skeleton className="h-72 rounded-md" />
            </>
          )}
        </aside>
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-1">
          {token ? (
            <>
              <ErrorBoundary>
                <TokenWindows windows={token.windows} stale={stale} />
              </ErrorBoundary>
              <ErrorBoundary>
                <section aria-label={texts.activity} className="panel overflow-hidden px-0 pt-1">
                  <Tabs
                    label={texts.activity}
                    value={tab}
                    items={tabs.map((value) => ({ value, label: texts[value] }))}
                    onChange={(next) => choose({ tab: next })}
                  >
                    {tab === "trades" ? (
                      <TradeTape
                        token={token}
                        wallet={wallet}
                        stale={stale}
                        fallback={<Skeleton className="mx-4 h-96 rounded-md" />}
                      />
                    ) : null}
                    {tab === "holders" ? <HolderList token={token} stale={stale} /> : null}
                    {tab === "traders" ? <TraderList token={token} stale={stale} /> : null}
                    {tab === "depth" ? <DepthPanel token={token} stale={stale} /> : null}
                    {tab === "facts" ? <FactsPanel token={token} /> : null}
                  </Tabs>
                </section>
              </ErrorBoundary>
              <ErrorBoundary>
                <AboutPanel token={token} jsonUrl={`${baseUrl}/tokens/${encodeURIComponent(token.address)}`} />
              </ErrorBoundary>
            </>
          ) : (
            <>
              <Skeleton className="h-48 rounded-md sm:h-24" />
              <Skeleton className="h-96 rounded-md" />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

/** The trade box, the position, who earns the fees, and what the contracts guarantee. */
function Aside({ token, wallet, stale }: { token: TokenDetail; wallet: string | null; stale: boolean }) {
  return (
    <>
      <ErrorBoundary>
        <TokenTrade token={token} stale={stale} />
      </ErrorBoundary>
      {wallet === null ? null : (
        <ErrorBoundary>
          <PositionPanel key={wallet} token={token} wallet={wallet} />
        </ErrorBoundary>
      )}
      <ErrorBoundary>
        <RecipientsPanel token={token} fallback={<Skeleton className="h-40 rounded-md" />} />
      </ErrorBoundary>
      <ErrorBoundary>
        <FeesPanel token={token} fallback={<Skeleton className="h-36 rounded-md" />} />
      </ErrorBoundary>
      <ErrorBoundary>
        <TrustPanel token={token} fallback={<Skeleton className="h-96 rounded-md" />} />
      </ErrorBoundary>
      <p className="text-end">
        <ReportButton reported={{ kind: "token", id: token.address, name: token.name }} />
      </p>
    </>
  );
}
