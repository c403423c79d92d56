import { useQuery } from "@tanstack/react-query";
import { latestSignals, marketsOptions } from "../data/marketQueries.ts";
import { FoldedSignals } from "../features/markets/foldedSignals.tsx";
import { MarketTable } from "../features/markets/marketTable.tsx";
import { RiskGrid } from "../features/markets/riskGrid.tsx";
import { RiskSection } from "../features/markets/riskSection.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useAccount } from "../session/useAccount.ts";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Panel } from "../ui/panel.tsx";
import { MarketsNav } from "./marketsNav.tsx";

/** The markets, the latest signals, and the risk for users who may read it. */
export function MarketsPage() {
  const { markets: text } = useMessages();
  const markets = useQuery(marketsOptions);
  const signals = useQuery(latestSignals);
  const { hasPlan } = useAccount();
  // Readers of the risk see it first.
  const risk = (
    <RiskSection>
      <RiskGrid />
    </RiskSection>
  );
  return (
    <div className="page flex flex-col gap-6">
      <div>
        <MarketsNav />
        <PageHead title={text.title} lead={text.lead} />
      </div>
      {hasPlan ? risk : null}
      {markets.error === null ? null : (
        <ErrorNote error={markets.error} onRetry={() => void markets.refetch()} busy={markets.isFetching} />
      )}
      {markets.error !== null && markets.data === undefined ? null : (
        <Panel title={text.list} flush>
          <MarketTable markets={markets.data?.items} stale={markets.error !== null} />
        </Panel>
      )}
      {hasPlan ? null : risk}
      {signals.error === null ? null : (
        <ErrorNote error={signals.error} onRetry={() => void signals.refetch()} busy={signals.isFetching} />
      )}
      {signals.error !== null && signals.data === undefined ? null : <FoldedSignals signals={signals.data?.items} />}
    </div>
  );
}
