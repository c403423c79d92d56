import { factorCholesky } from "../numeric/cholesky.ts";
import { continueRobustAr } from "./robustAr.ts";

/** The number of days in the averages that this model describes: that of climate normals. */
const window = 15;
/** Older days are not used. */
const maxDays = 42;
/** Days before the first forecast, and the latest days whose errors the autoregression is fitted to. */
const minDaysBefore = 8;
const errorDays = 24;
/** The earliest origin must have as many days, and the whole series as many that the changes can be compared. */
export const minDaysOfAverages = 14;
const minDaysOfTest = 20;
/** The largest autocorrelation of the changes at the length of the averages. */
const maxReversal = -0.1;
/** Variances of the rounding, of the slope by day and of the level, relative to the values that are averaged. */
const roundingVariance = 0.005;
const slopeVariance = 0.01;
const levelVariance = 1_000;
const ridge = 0.02;

/** The autocorrelation at `lag` of the changes against the day before. */
function correlateChanges(values: Float64Array, day: number, lag: number): number {
  const changes = values.slice(day).map((value, t) => value - values[t]!);
  let center = 0;
  for (const change of changes) center += change / changes.length;
  let [product, square] = [0, 0];
  for (let t = 0; t < changes.length; t++) {
    square += (changes[t]! - center) ** 2;
    if (t >= lag) product += (changes[t]! - center) * (changes[t - lag]! - center);
  }
  return square > 0 ? product / square : 0;
}

/**
 * Whether the values of a series are probably averages over 15 days, as climate normals are: their changes from day to
 * day persist, and reverse when the day leaves the average.
 */
export function isMovingAverage(values: Float64Array, day: number): boolean {
  return (
    values.length >= minDaysOfTest * day &&
    correlateChanges(values, day, day) > 0 &&
    correlateChanges(values, day, window * day) < maxReversal
  );
}

/** The covariance of two averages, `distance` days apart, of a process with this autocorrelation from day to day. */
function getCovariance(distance: number, persistence: number): number {
  let sum = 0;
  for (let k = 1 - window; k < window; k++) sum += (window - Math.abs(k)) * persistence ** Math.abs(distance + k);
  return sum / window ** 2 + (distance === 0 ? roundingVariance : 0);
}

/**
 * The weights of all days before day `d` in its best linear forecast, for each `d` below `days`: they follow from row
 * `d` of the Cholesky factor of the covariances.
 */
function createWeights(days: number, persistence: number): (d: number) => Float64Array {
  const byDistance = Array.from({ length: days }, (_, distance) => getCovariance(distance, persistence));
  const matrix = new Float64Array(days * days);
  for (let i = 0; i < days; i++)
    for (let j = 0; j <= i; j++) matrix[i * days + j] = byDistance[i - j]! + levelVariance + slopeVariance * i * j;
  const factor = factorCholesky(matrix, days);
  const found: Float64Array[] = [];
  return (d) => {
    if (found[d] !== undefined) return found[d];
    const weights = factor.slice(d * days, d * days + d);
    for (let i = d - 1; i >= 0; i--) {
      for (let k = i + 1; k < d; k++) weights[i]! -= factor[k * days + i]! * weights[k]!;
      weights[i]! /= factor[i * days + i]!;
    }
    found[d] = weights;
    return weights;
  };
}

/**
 * Kriging over days (Matheron 1963): each hour of the day is a moving average over 15 days with a slope and rounding
 * errors, so that its change follows from the change of 15 days ago; a robust autoregression of the errors of these
 * forecasts, one day ahead, follows over the hours.
 *
 * @param values the history, at least `minDaysOfAverages` days
 * @param persistence the autocorrelation from day to day of the values that are averaged
 */
export function forecastMovingAverage(
  values: Float64Array,
  { day, persistence }: { day: number; persistence: number },
  horizon: number,
): Float64Array {
  const days = Math.min(maxDays, Math.floor(values.length / day));
  const known = days * day;
  const path = new Float64Array(known + horizon);
  path.set(values.subarray(values.length - known));
  const getWeights = createWeights(days + Math.ceil(horizon / day), persistence);
  const predict = (t: number) => {
    const weights = getWeights(Math.floor(t / day));
    let value = 0;
    for (let i = 0, at = t % day; i < weights.length; i++, at += day) value += weights[i]! * path[at]!;
    return value;
  };
  const first = Math.max(minDaysBefore, days - errorDays) * day;
  const errors = path.subarray(first, known).map((value, t) => value - predict(first + t));
  const lags = [1, 2, 3, day - 1, day, day + 1];
  const continued = continueRobustAr(errors, { lags, ridge }, horizon);
  for (let h = 0; h < horizon; h++) path[known + h] = predict(known + h) + continued[h]!;
  return path.slice(known);
}
