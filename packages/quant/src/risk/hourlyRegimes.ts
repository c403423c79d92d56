import { findBreaches } from "./calibration.ts";
import { classifyRegimes, type Regime, riskScore } from "./regime.ts";
import { slidingRanks } from "./slidingRanks.ts";
import type { RiskDay } from "./valueAtRiskPath.ts";

const dayHours = 24;
const yearHours = 365 * dayHours;
const minHours = 30 * dayHours;
const drawdownHours = 90 * dayHours;
/** The days over which breaches are counted; `rankBreaches` compares each count with the counts of its year. */
const breachDays = 30;
const yearDays = 365;

/** The fall of each price from the highest price of its last 90 days, <= 0; NaN for a missing price. */
export function slidingDrawdowns(close: Float64Array): Float64Array {
  // Indices of a decreasing sequence of prices: the first is the highest of the window.
  const queue = new Int32Array(close.length);
  let [head, tail] = [0, 0];
  return close.map((price, i) => {
    if (Number.isNaN(price)) return Number.NaN;
    while (tail > head && close[queue[tail - 1]!]! <= price) tail--;
    queue[tail++] = i;
    while (queue[head]! <= i - drawdownHours) head++;
    return price / close[queue[head]!]! - 1;
  });
}

/**
 * The percentile of the number of 95% breaches in 30 days, by daily forecast, in its own year; NaN for too few counts.
 */
export function rankBreaches(days: readonly RiskDay[], length: number): Float64Array {
  const result = new Float64Array(length).fill(Number.NaN);
  const breaches = findBreaches(days, 0);
  const counts = Float64Array.from(breaches, (_, t) =>
    t + 1 < breachDays ? Number.NaN : breaches.slice(t + 1 - breachDays, t + 1).filter(Boolean).length,
  );
  const ranks = slidingRanks(counts, yearDays, breachDays);
  // The rank of day t is known when the forecast of day t + 1 is made.
  for (let t = 0; t < ranks.length; t++) result[days[t]!.day + 1] = ranks[t]!;
  return result;
}

/** The regime of each hour; null before 30 days of volatility. */
export type HourRegime = { label: Regime; since: number } | null;

/**
 * Percentiles of volatility in their own year, and the regimes derived from them.
 *
 * @param volatility by hour; NaN where unknown: the regime stays
 */
export function rankVolatility(volatility: Float64Array): { percentile: Float64Array; regimes: HourRegime[] } {
  const percentile = slidingRanks(volatility, yearHours, minHours);
  const known: number[] = [];
  for (let i = 0; i < percentile.length; i++) if (!Number.isNaN(percentile[i]!)) known.push(i);
  const labels = classifyRegimes(Float64Array.from(known, (i) => percentile[i]!));
  const regimes: HourRegime[] = new Array(volatility.length).fill(null);
  for (let at = 0; at < known.length; at++) {
    const label = labels[at]!;
    label.since = known[label.since]!;
    regimes[known[at]!] = label;
  }
  return { percentile, regimes };
}

/**
 * The frequency, in the year before an hour, with which its regime was the same 24 hours later; null without a case.
 */
export function persistence(regimes: readonly HourRegime[], at: number): number | null {
  const label = regimes[at]?.label;
  let [seen, same] = [0, 0];
  for (let i = Math.max(0, at - yearHours); i + dayHours <= at; i++) {
    const after = regimes[i + dayHours];
    if (label === undefined || !after || regimes[i]?.label !== label) continue;
    seen++;
    if (after.label === label) same++;
  }
  return seen > 0 ? same / seen : null;
}

/** The risk score of each hour from `first` on; NaN when a component is unknown. */
export function scoreHours(
  parts: { percentile: Float64Array; drawdown: Float64Array; breachRank: Float64Array; day: Int32Array },
  first: number,
): Float64Array {
  const { percentile, drawdown, breachRank, day } = parts;
  const scores = new Float64Array(percentile.length).fill(Number.NaN);
  const from = Math.max(0, first - yearHours);
  const depth = slidingRanks(
    drawdown.subarray(from).map((value) => -value),
    yearHours,
    minHours,
  );
  for (let i = Math.max(0, first); i < scores.length; i++) {
    const breaches = breachRank[day[i]!] ?? Number.NaN;
    scores[i] = riskScore({ volatility: percentile[i]!, drawdown: depth[i - from]!, breaches });
  }
  return scores;
}
