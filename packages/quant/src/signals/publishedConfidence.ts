import { fitHitRatePrior, type HitRecord, shrinkHitRate } from "./shrinkHitRate.ts";

/** The input of a confidence. Times are in any unit. */
export type TimedOutcome = {
  market: string;
  strategy: string;
  closedAt: number;
  /** Null until the signal is resolved. */
  resolvedAt: number | null;
  isHit: boolean;
};

/** Minimum resolved signals of a strategy, over all markets, for a confidence. */
export const leastResolved = 30;

/**
 * The hit rate published with each signal: of its market and strategy, shrunk towards the strategy's rate over all
 * markets, from the signals resolved before the signal was published.
 *
 * @returns by signal, in the order of the input; null while the strategy has too few resolved signals
 */
export function publishedConfidence(signals: readonly TimedOutcome[]): (number | null)[] {
  const order = signals.map((_, index) => index).sort((a, b) => signals[a]!.closedAt - signals[b]!.closedAt);
  const resolved = signals.filter((signal) => signal.resolvedAt !== null).sort((a, b) => a.resolvedAt! - b.resolvedAt!);
  const records = new Map<string, Map<string, HitRecord>>();
  const confidence = new Array<number | null>(signals.length).fill(null);
  let next = 0;
  for (const index of order) {
    const { strategy, market, closedAt } = signals[index]!;
    for (; next < resolved.length && resolved[next]!.resolvedAt! <= closedAt; next++) add(records, resolved[next]!);
    const ofStrategy = records.get(strategy) ?? new Map<string, HitRecord>();
    const all = [...ofStrategy.values()];
    if (all.reduce((sum, { count }) => sum + count, 0) < leastResolved) continue;
    confidence[index] = shrinkHitRate(ofStrategy.get(market) ?? { hits: 0, count: 0 }, fitHitRatePrior(all));
  }
  return confidence;
}

function add(records: Map<string, Map<string, HitRecord>>, { strategy, market, isHit }: TimedOutcome): void {
  const ofStrategy = records.get(strategy) ?? new Map<string, HitRecord>();
  const { hits, count } = ofStrategy.get(market) ?? { hits: 0, count: 0 };
  ofStrategy.set(market, { hits: hits + (isHit ? 1 : 0), count: count + 1 });
  records.set(strategy, ofStrategy);
}
