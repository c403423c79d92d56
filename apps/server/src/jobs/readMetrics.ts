import type { AlertMetric } from "@slipway/protocol/alerts";
import type { Deps } from "../deps.ts";
import { listMarkets } from "../markets/readMarkets.ts";
import { listRisk, wantRisk } from "../risk/queries.ts";
import { judgeRisk } from "../risk/toRisk.ts";
import { listNewestSignals } from "./alertQueries.ts";

/** What is known of a pair at the close of a bar. */
export type MetricReading = {
  /** The bar's close in Unix seconds; a later reading has a later one. */
  bar: number;
  /** Whether its data are fresh: a stale or unavailable reading fires nothing and arms nothing. */
  isFresh: boolean;
  /** Metrics that are unknown are null or left out. Several names: it has them at the same time. */
  values: { readonly [metric in AlertMetric]?: number | string | readonly string[] | null };
};

/** Reads the newest metrics of those pairs of which something is known, and asks for the risk of all. */
export type ReadMetrics = (pairs: readonly string[]) => Promise<(MetricReading & { pair: string })[]>;

/** How old a signal may be, in seconds since its bar closed. */
const freshSignalSeconds = 2 * 3_600;

/** Creates the reader of metrics from the stored risk of markets, which it asks for as readers of the risk stream do. */
export function createReadMetrics({ clock, db }: Pick<Deps, "clock" | "db">): ReadMetrics {
  return async (pairs) => {
    const now = Math.floor(clock.now() / 1000);
    const wanted = new Set(pairs);
    // Whatever pairs callers made up, these are at most as many as there are markets.
    const markets = (await listMarkets(db.api, now)).filter(({ pair }) => wanted.has(pair));
    if (markets.length === 0) return [];
    await wantRisk(
      db.api,
      markets.map(({ id }) => id),
    );
    const stored = new Map((await listRisk(db.api)).map((risk) => [risk.market_id, risk]));
    // A bar's signals come later than its risk: they are readings of their own.
    const signals = await listNewestSignals(
      db.api,
      markets.map(({ pair }) => pair),
    );
    const readings: Awaited<ReturnType<ReadMetrics>> = signals.map(({ pair, closed_at: bar, directions }) => ({
      ...{ pair, bar, isFresh: now - bar <= freshSignalSeconds, values: { signal: directions } },
    }));
    for (const market of markets) {
      const risk = stored.get(market.id);
      if (risk === undefined) continue;
      const { snapshot } = risk;
      readings.push({
        pair: market.pair,
        bar: risk.data_through,
        isFresh: judgeRisk(market, risk, now).status === "fresh",
        values: {
          var_95: snapshot.var["95"],
          var_99: snapshot.var["99"],
          volatility_percentile: snapshot.volatility.percentile1y,
          risk_score: snapshot.riskScore,
          drawdown: snapshot.drawdown.current,
          regime: snapshot.regime.label,
        },
      });
    }
    return readings;
  };
}
