import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";

/** Days of the averages: markets that never close have weeks of 7 and months of 30 days. */
const week = 7;
const month = 30;
const minDays = 2 * month;
const regressors = 5;

/** Variances by day from intraday bars; positive. */
export type DailyVariances = {
  /** Sums of squared intraday returns: the forecast quantity. */
  realised: ArrayLike<number>;
  /** Parkinson's variance summed over the day's bars: the regressor, because ranges have less noise. */
  range: ArrayLike<number>;
  /** Parkinson's variance of the last half of the day, scaled to a whole day. */
  halfDay: ArrayLike<number>;
};

export type HarFit = { coefficients: readonly number[]; residualVariance: number };

/** The regressors of the day after `t`: 1 and the logs of the half day's, the day's, the week's and the month's variance. */
function fillRow(row: Float64Array, { range, halfDay }: DailyVariances, t: number): void {
  row[0] = 1;
  row[1] = Math.log(halfDay[t]!);
  row[2] = Math.log(range[t]!);
  let sum = 0;
  for (let i = 0; i < week; i++) sum += range[t - i]!;
  row[3] = Math.log(sum / week);
  for (let i = week; i < month; i++) sum += range[t - i]!;
  row[4] = Math.log(sum / month);
}

/** The sum of a row's entries, from `at` on, by coefficients. */
export function evaluateRow(rows: Float64Array, coefficients: readonly number[], at = 0): number {
  let sum = 0;
  for (let i = 0; i < coefficients.length; i++) sum += rows[at + i]! * coefficients[i]!;
  return sum;
}

/**
 * Least squares of targets on rows of `size` regressors, one after the other.
 *
 * @param rows at least one more than regressors; collinear ones get finite coefficients
 */
export function regress(rows: Float64Array, targets: Float64Array, size: number): HarFit {
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  const count = targets.length;
  for (let n = 0, at = 0; n < count; n++, at += size) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) matrix[i * size + j]! += rows[at + i]! * rows[at + j]!;
      right[i]! += rows[at + i]! * targets[n]!;
    }
  }
  for (let i = 0; i < size; i++) matrix[i * size + i]! *= 1 + 1e-9;
  const coefficients = [...solveCholesky(factorCholesky(matrix, size), size, right)];
  let squares = 0;
  for (let n = 0; n < count; n++) squares += (targets[n]! - evaluateRow(rows, coefficients, n * size)) ** 2;
  return { coefficients, residualVariance: squares / (count - size) };
}

/**
 * Fits the heterogeneous autoregression of realised variance in logarithms (Corsi 2009, JFEC 7(2)) by least squares:
 * log of the next day's realised variance on the logs of the range-based variance of the last half day, day, week and
 * month (Parkinson 1980). Chosen on other years than the benchmark's: squared returns as regressors were 2 to 4% worse.
 *
 * @param days the number of days used, from the first
 * @returns null for fewer than 60 days
 */
export function fitHar(variances: DailyVariances, days: number): HarFit | null {
  if (days < minDays) return null;
  const count = days - month;
  const rows = new Float64Array(count * regressors);
  const targets = new Float64Array(count);
  for (let n = 0; n < count; n++) {
    const t = n + month - 1;
    fillRow(rows.subarray(n * regressors), variances, t);
    targets[n] = Math.log(variances.realised[t + 1]!);
  }
  return regress(rows, targets, regressors);
}

/** Range-based variances up to now, over the last half day, day, week and month. */
export type HarRegressors = { halfDay: number; day: number; week: number; month: number };

/** The variance of the next 24 hours: the mean of the log-normal distribution, exp(m + s²/2). */
export function forecastHarFrom(
  { coefficients, residualVariance }: HarFit,
  { halfDay, day, week, month: ofMonth }: HarRegressors,
): number {
  const [constant, ofHalf, ofDay, ofWeek, ofLong] = coefficients as [number, number, number, number, number];
  let sum = constant + Math.log(halfDay) * ofHalf + Math.log(day) * ofDay;
  sum += Math.log(week) * ofWeek + Math.log(ofMonth) * ofLong;
  return Math.exp(sum + residualVariance / 2);
}

/**
 * The variance of the day after `t`.
 *
 * @returns NaN for t < 29
 */
export function forecastHar({ coefficients, residualVariance }: HarFit, variances: DailyVariances, t: number): number {
  if (t < month - 1) return Number.NaN;
  const row = new Float64Array(regressors);
  fillRow(row, variances, t);
  return Math.exp(evaluateRow(row, coefficients) + residualVariance / 2);
}
