import type { Days } from "./dailyVariances.ts";
import { evaluateRow, type HarFit, regress } from "./har.ts";

const hour = 3_600;
const dayHours = 24;
const day = dayHours * hour;
const week = 7 * day;
/** The first Saturday; 1 January 1970 was a Thursday. */
const firstSaturday = 2 * day;

/** The last hours over which logs of ranges are averaged: half a day, 1, 2, 4 and 7 days, and a month of 30. */
export const logRangeHours: readonly number[] = [12, 24, 48, 96, 168, 720];
const spans = logRangeHours.slice(1).map((hours) => hours / dayHours);
const month = spans.at(-1)!;
const minDays = 2 * month;
const regressors = 1 + logRangeHours.length;

/** The used fields of `Days`. */
export type LogRanges = Pick<Days, "end" | "realised" | "range" | "logRange" | "logHalfDay">;

/**
 * The differences between weekends and other days, mostly negative: in the mean logs of hourly ranges, and in the log
 * of a day's variance. They differ widely when hours without a trade are more frequent at weekends.
 */
export type WeekendEffect = { logRange: number; logVariance: number };

export type LogRangeFit = HarFit & { weekend: WeekendEffect };

/** Seconds of Saturdays and Sundays, UTC, since the first Saturday of 1970. */
function countWeekend(time: number): number {
  const weeks = Math.floor((time - firstSaturday) / week);
  return 2 * day * weeks + Math.min(time - firstSaturday - week * weeks, 2 * day);
}

/** The share of a time in Unix seconds that is Saturday or Sunday, UTC: `from` < `to`. */
export const weekendShare = (from: number, to: number): number => (countWeekend(to) - countWeekend(from)) / (to - from);

/** The slope of the first days' values on their weekend shares. */
function fitWeekend({ end }: LogRanges, count: number, getValue: (t: number) => number): number {
  let [sumValues, sumShares, products, squares] = [0, 0, 0, 0];
  for (let t = 0; t < count; t++) {
    const share = weekendShare(end[t]! - day, end[t]!);
    const value = getValue(t);
    sumValues += value;
    sumShares += share;
    products += value * share;
    squares += share ** 2;
  }
  const spread = squares - sumShares ** 2 / count;
  return spread > 0 ? (products - (sumValues * sumShares) / count) / spread : 0;
}

/**
 * The means of logs over each of `logRangeHours` up to the end of day `t`.
 *
 * @param t at least 29
 */
export function meansOfDay({ logRange, logHalfDay }: LogRanges, t: number): number[] {
  const means = [logHalfDay[t]!];
  let [sum, i] = [0, 0];
  for (const span of spans) {
    for (; i < span; i++) sum += logRange[t - i]!;
    means.push(sum / span);
  }
  return means;
}

/** Writes 1 and the means without the weekend effect, from `at` on. */
function writeRow(rows: Float64Array, at: number, means: readonly number[], weekend: number, now: number): void {
  rows[at] = 1;
  for (let k = 0; k < means.length; k++)
    rows[at + 1 + k] = means[k]! - weekend * weekendShare(now - logRangeHours[k]! * hour, now);
}

/**
 * Fits the heterogeneous autoregression of realised variance in logarithms (Corsi 2009, JFEC 7(2)) by least squares:
 * log of the next day's realised variance on mean logs of hourly ranges over 12 hours to 30 days, whose errors are
 * small and nearly normal (Alizadeh, Brandt & Diebold 2002, JF 57(3)). Both sides are without the mean difference
 * between weekends and other days: markets that never close are calmer at weekends. Chosen on prices before 2021-07-10.
 *
 * @param count the number of days used, from the first
 * @returns null for fewer than 60 days
 */
export function fitLogRanges(days: LogRanges, count: number): LogRangeFit | null {
  if (count < minDays) return null;
  const { end, realised, range, logRange } = days;
  const weekend: WeekendEffect = {
    logRange: fitWeekend(days, count, (t) => logRange[t]!),
    logVariance: fitWeekend(days, count, (t) => Math.log(range[t]!)),
  };
  const rows = new Float64Array((count - month) * regressors);
  const targets = new Float64Array(count - month);
  for (let t = month; t < count; t++) {
    writeRow(rows, (t - month) * regressors, meansOfDay(days, t - 1), weekend.logRange, end[t - 1]!);
    targets[t - month] = Math.log(realised[t]!) - weekend.logVariance * weekendShare(end[t]! - day, end[t]!);
  }
  return { ...regress(rows, targets, regressors), weekend };
}

/**
 * The variance of the 24 hours after `now`, Unix seconds: the mean of the log-normal distribution, exp(m + s²/2).
 *
 * @param means of `logRangeVariance` over each of `logRangeHours` before `now`
 * @returns NaN when a mean is NaN
 */
export function forecastLogRanges(fit: LogRangeFit, means: readonly number[], now: number): number {
  const row = new Float64Array(regressors);
  writeRow(row, 0, means, fit.weekend.logRange, now);
  const log = evaluateRow(row, fit.coefficients) + fit.weekend.logVariance * weekendShare(now, now + day);
  return Math.exp(log + fit.residualVariance / 2);
}
