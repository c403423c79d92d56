import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { latestSignals, marketsOptions } from "../data/marketQueries.ts";
import { LatestSignals } from "../features/markets/latestSignals.tsx";
import { MarketTable } from "../features/markets/marketTable.tsx";
import { RiskAccess } from "../features/markets/riskAccess.tsx";
import { RiskGrid } from "../features/markets/riskGrid.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Panel } from "../ui/panel.tsx";

/** The markets, the latest signals, and the risk for users who may read it. */
export function MarketsPage() {
  const { markets: text } = useMessages();
  const markets = useQuery(marketsOptions);
  const signals = useQuery(latestSignals);
  return (
    <div className="page flex flex-col gap-6">
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          <nav aria-label={text.more} className="flex flex-wrap gap-2">
            <Link to="/forecast" className={buttonClasses()}>
              {text.forecast}
            </Link>
            <Link to="/alerts" className={buttonClasses()}>
              {text.alerts}
            </Link>
          </nav>
        }
      />
      {markets.error === null ? null : (
        <ErrorNote error={markets.error} onRetry={() => void markets.refetch()} busy={markets.isFetching} />
      )}
      {markets.error !== null && markets.data === undefined ? null : (
        <Panel title={text.list} flush>
          <MarketTable markets={markets.data?.items} stale={markets.error !== null} />
        </Panel>
      )}
      <section aria-labelledby="risk" className="flex min-w-0 flex-col gap-3">
        <div>
          <h2 id="risk" className="text-lg font-bold">
            {text.risk}
          </h2>
          <p className="text-sm text-muted">{text.riskLead}</p>
        </div>
        <RiskAccess>
          <RiskGrid />
        </RiskAccess>
      </section>
      {signals.error === null ? null : (
        <ErrorNote error={signals.error} onRetry={() => void signals.refetch()} busy={signals.isFetching} />
      )}
      {signals.error !== null && signals.data === undefined ? null : (
        <Panel title={text.signals} flush>
          <p className="px-4 pb-2 text-sm text-muted">{text.signalsLead}</p>
          <LatestSignals signals={signals.data?.items} />
          <p className="px-4 py-2 text-xs text-muted">{signals.data?.disclaimer ?? text.disclaimer}</p>
        </Panel>
      )}
    </div>
  );
}
