import { mean } from "../numeric/quantile.ts";
import { brierScore, type Outcome, type ReliabilityBin, reliabilityBins } from "./calibrationError.ts";
import { deflatedSharpe, estimateSharpe } from "./deflatedSharpe.ts";
import { leastResolved } from "./publishedConfidence.ts";
import { realityCheck } from "./realityCheck.ts";
import { seededUniform } from "./seededUniform.ts";
import { stationaryBootstrap } from "./stationaryBootstrap.ts";

/** A resolved signal. Times are Unix seconds; returns after costs and costs are fractions. */
export type ResolvedSignal = {
  market: string;
  strategy: string;
  closedAt: number;
  resolvedAt: number;
  /** Prices at the close of the signal and at its end. */
  price: number;
  exitPrice: number;
  return: number;
  cost: number;
  /** The confidence published with the signal. */
  confidence: number | null;
};

export type TrackRecord = {
  n: number;
  hitRate: number;
  hitRateInterval: [number, number];
  meanReturn: number;
  meanReturnInterval: [number, number];
  cost: number;
  /** Gains divided by losses; null without a loss. */
  profitFactor: number | null;
  /** The largest fall of the sum of returns, 0 or less. */
  maxDrawdown: number;
  /** The Sharpe ratio of daily returns, for a year of 365 days. */
  sharpe: number;
  deflatedSharpe: number;
  /** The change of the market's own price over the same time. */
  marketChange: number;
  /** Null without published confidences. */
  brier: number | null;
  from: number;
  to: number;
};

export type Skill = "none" | "unproven" | "positive";

/** The judgement of a strategy on a market; `record` is null below 30 resolved signals. */
export type Judgement = {
  market: string;
  strategy: string;
  resolved: number;
  skill: Skill;
  record: TrackRecord | null;
  bins: ReliabilityBin[];
};

const day = 86_400;
const daysOfYear = 365;
/** Days of a block: a signal lasts a day, and volatility and trends persist for a few more days. */
const meanBlock = 5;
const resamples = 1_000;
const level = 0.95;
const significance = 0.05;
const leastDeflatedSharpe = 0.95;
const seed = 1;

/**
 * Judges strategies by market from all resolved signals. No parameter was fitted to the signals, so that all are out of
 * sample. A strategy has skill on a market when the lower bound of its mean return after costs is above 0, when it is
 * superior among all strategies tried, and when its deflated Sharpe ratio is above 0.95.
 *
 * @param signals of all strategies and markets that were tried, without exception
 * @returns ordered by market and strategy, with the number of combinations that were tried
 */
export function judgeSignals(signals: readonly ResolvedSignal[]): { tested: number; judgements: Judgement[] } {
  const groups = [...Map.groupBy(signals, ({ market, strategy }) => JSON.stringify([market, strategy]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, members]) => [...members].sort((a, b) => a.closedAt - b.closedAt || a.resolvedAt - b.resolvedAt));
  if (groups.length === 0) return { tested: 0, judgements: [] };
  const first = Math.floor(Math.min(...groups.map((group) => group[0]!.closedAt)) / day);
  const last = Math.floor(Math.max(...groups.map((group) => group.at(-1)!.closedAt)) / day);
  const daily = groups.map((group) => toDays(group, first, last));
  const check = realityCheck(
    daily.map(({ sums }) => sums),
    { meanBlock, resamples: resamples / 2, uniform: seededUniform(seed) },
  );
  const estimates = daily.map(({ sums }) => estimateSharpe(sums));
  const average = mean(estimates.map(({ sharpe }) => sharpe));
  const variance = mean(estimates.map(({ sharpe }) => (sharpe - average) ** 2));
  const judgements = groups.map((group, k) => {
    const { market, strategy } = group[0]!;
    const record = toRecord(group, {
      sharpe: estimates[k]!.sharpe * Math.sqrt(daysOfYear),
      deflatedSharpe: deflatedSharpe(estimates[k]!, groups.length, variance),
    });
    const isPositive =
      record.meanReturnInterval[0] > 0 &&
      check.adjustedP[k]! < significance &&
      record.deflatedSharpe > leastDeflatedSharpe;
    const isKnown = group.length >= leastResolved;
    return {
      market,
      strategy,
      resolved: group.length,
      skill: !isKnown ? ("unproven" as const) : isPositive ? ("positive" as const) : ("none" as const),
      record: isKnown ? record : null,
      bins: reliabilityBins(toOutcomes(group)),
    };
  });
  return { tested: groups.length, judgements };
}

/** Sums and numbers of signals by day of their close; 0 for days without signals. */
function toDays(group: readonly ResolvedSignal[], first: number, last: number): { sums: number[]; counts: number[] } {
  const sums = new Array<number>(last - first + 1).fill(0);
  const counts = new Array<number>(last - first + 1).fill(0);
  for (const signal of group) {
    const index = Math.floor(signal.closedAt / day) - first;
    sums[index]! += signal.return;
    counts[index]!++;
  }
  return { sums, counts };
}

const toOutcomes = (group: readonly ResolvedSignal[]): Outcome[] =>
  group.flatMap(({ confidence, return: value }) =>
    confidence === null ? [] : [{ probability: confidence, isHit: value > 0 }],
  );

function toRecord(
  group: readonly ResolvedSignal[],
  ofDays: Pick<TrackRecord, "sharpe" | "deflatedSharpe">,
): TrackRecord {
  const n = group.length;
  const hits = group.filter((signal) => signal.return > 0).length;
  let [gains, losses, total, peak, drawdown] = [0, 0, 0, 0, 0];
  for (const { return: value } of group) {
    if (value > 0) gains += value;
    else losses -= value;
    total += value;
    peak = Math.max(peak, total);
    drawdown = Math.min(drawdown, total - peak);
  }
  const outcomes = toOutcomes(group);
  const end = group.reduce((latest, signal) => (signal.resolvedAt > latest.resolvedAt ? signal : latest));
  return {
    n,
    hitRate: hits / n,
    hitRateInterval: wilsonInterval(hits, n),
    meanReturn: total / n,
    meanReturnInterval: bootstrapByDays(group),
    cost: mean(group.map(({ cost }) => cost)),
    profitFactor: losses > 0 ? gains / losses : null,
    maxDrawdown: drawdown,
    ...ofDays,
    marketChange: end.exitPrice / group[0]!.price - 1,
    brier: outcomes.length > 0 ? brierScore(outcomes) : null,
    from: group[0]!.closedAt,
    to: end.resolvedAt,
  };
}

/** The score interval of a share at 95% (Wilson 1927). */
function wilsonInterval(hits: number, n: number): [number, number] {
  const z = 1.959963984540054;
  const center = (hits + z ** 2 / 2) / (n + z ** 2);
  const half = (z / (n + z ** 2)) * Math.sqrt((hits * (n - hits)) / n + z ** 2 / 4);
  return [Math.max(0, center - half), Math.min(1, center + half)];
}

/**
 * The interval of the mean return of a signal at 95%: percentiles of the means of resampled days, so that the signals
 * of a day stay together. A resample without signals counts as 0.
 */
function bootstrapByDays(group: readonly ResolvedSignal[]): [number, number] {
  const [first, last] = [group[0]!, group.at(-1)!].map(({ closedAt }) => Math.floor(closedAt / day));
  const { sums, counts } = toDays(group, first!, last!);
  const uniform = seededUniform(seed);
  const means = Float64Array.from({ length: resamples }, () => {
    let [sum, count] = [0, 0];
    for (const index of stationaryBootstrap(sums.length, meanBlock, uniform)) {
      sum += sums[index]!;
      count += counts[index]!;
    }
    return count > 0 ? sum / count : 0;
  }).sort();
  const at = (share: number) => means[Math.min(resamples - 1, Math.floor(share * resamples))]!;
  return [at((1 - level) / 2), at((1 + level) / 2)];
}
