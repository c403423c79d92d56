import type { TrackRecordOut } from "@slipway/protocol/signals";
import type { Judgement, TrackRecord } from "@slipway/quant/signals/trackRecord";
import { toIsoTime } from "../../pricing/format.ts";
import type { StoredBin, StoredRecord, StoredResolved } from "./recordQueries.ts";

/** Significant digits of the numbers of a record: the last bits of a sum contain no information. */
const digits = 6;
const round = (value: number) => Number(value.toPrecision(digits));
const toBps = (fraction: number) => round(fraction * 10_000);
const roundPair = ([low, high]: [number, number], to: (value: number) => number): number[] => [to(low), to(high)];

/** Converts a record to the wire format. @param tested - Number of tried combinations of strategy and market. */
function toTrackRecord(record: TrackRecord, tested: number): TrackRecordOut {
  return {
    n: record.n,
    hit_rate: round(record.hitRate),
    hit_rate_ci95: roundPair(record.hitRateInterval, round),
    mean_return_bps: toBps(record.meanReturn),
    mean_return_ci95: roundPair(record.meanReturnInterval, toBps),
    cost_bps: toBps(record.cost),
    profit_factor: record.profitFactor === null ? null : round(record.profitFactor),
    max_drawdown: round(record.maxDrawdown),
    sharpe: round(record.sharpe),
    deflated_sharpe: round(record.deflatedSharpe),
    market_change: round(record.marketChange),
    brier: record.brier === null ? null : round(record.brier),
    window: { from: toIsoTime(record.from), to: toIsoTime(record.to) },
    out_of_sample: true,
    lookahead_checked: true,
    tested_strategies: tested,
  };
}

/** Converts judgements to the records that are stored and served. */
export function toStoredRecords(
  { tested, judgements }: { tested: number; judgements: readonly Judgement[] },
  signals: readonly Pick<StoredResolved, "market_id" | "pair">[],
  computedAt: number,
): StoredRecord[] {
  const pairs = new Map(signals.map(({ market_id, pair }) => [String(market_id), pair]));
  return judgements.map(({ market, strategy, resolved, skill, record, bins }) => {
    const [name, version] = strategy.split("@") as [string, string];
    return {
      ...{ market_id: Number(market), pair: pairs.get(market)!, strategy: name, strategy_version: Number(version) },
      ...{ resolved, skill, computed_at: computedAt },
      track_record: record === null ? null : toTrackRecord(record, tested),
      bins: bins.map(
        (bin): StoredBin => ({
          ...{ from: bin.from, to: bin.to, count: bin.count },
          mean_confidence: round(bin.meanProbability),
          hit_rate: round(bin.hitRate),
        }),
      ),
    };
  });
}
