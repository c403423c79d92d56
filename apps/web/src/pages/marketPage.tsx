import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { marketsOptions } from "../data/marketQueries.ts";
import { BarChart } from "../features/markets/barChart.tsx";
import { MarketHeader } from "../features/markets/marketHeader.tsx";
import { RiskPanel } from "../features/markets/riskPanel.tsx";
import { RiskSection } from "../features/markets/riskSection.tsx";
import { SignalHistory, StrategyRecords } from "../features/markets/signalHistory.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/emptyState.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";

const route = getRouteApi("/markets/$pair");

/** One market: price, risk, signals. */
export function MarketPage() {
  const { markets: text } = useMessages();
  const { pair } = route.useParams();
  const { interval = "1h" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isFetching, refetch } = useQuery(marketsOptions);
  const market = data?.items.find((each) => each.pair === pair);
  usePageTitle(market === undefined ? text.title : `${market.base} / ${market.quote}`);
  if (data !== undefined && market === undefined) {
    return (
      <div className="page py-6">
        <h1 className="sr-only">{text.title}</h1>
        <EmptyState
          text={text.notFound}
          action={
            <Link to="/markets" className={buttonClasses("primary")}>
              {text.back}
            </Link>
          }
        />
      </div>
    );
  }
  return (
    <div className="page flex flex-col gap-4 py-4 lg:py-6">
      <Link to="/markets" className="inline-flex items-center gap-1.5 self-start text-sm font-semibold text-accent">
        <Icon name="arrowUp" size={14} className="-rotate-90 rtl:rotate-90" />
        {text.back}
      </Link>
      {market === undefined ? <h1 className="text-xl font-bold">{pair.replace("_", " / ")}</h1> : null}
      {error === null ? null : <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />}
      {market !== undefined ? (
        <MarketHeader market={market} />
      ) : error === null ? (
        <Skeleton className="h-40 w-full sm:h-28" />
      ) : null}
      {market?.status === "stale" ? (
        <Notice live tone="warning" title={text.statuses.stale}>
          {text.staleBody}
        </Notice>
      ) : null}
      {market === undefined ? null : (
        <>
          <BarChart
            market={market}
            interval={interval}
            onInterval={(next) =>
              void navigate({ search: (old) => ({ ...old, interval: next }), replace: true, resetScroll: false })
            }
          />
          <RiskSection className="pt-2">
            <RiskPanel key={pair} pair={pair} />
          </RiskSection>
          <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <SignalHistory pair={pair} />
            <StrategyRecords pair={pair} />
          </div>
        </>
      )}
    </div>
  );
}
