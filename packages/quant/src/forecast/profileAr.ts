import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";

/** The shorter and the longer period of the profile; equal if only one fits. */
type ProfilePeriods = { day: number; week: number };

const halfLifeWeeks = 4;
const shrinkage = 0.5;
const reweightings = 3;
const ridge = 1e-3;

/** The centred mean over `width` values, extended constantly at both ends. */
export function centredLevel(values: Float64Array, width: number): Float64Array {
  const n = values.length;
  const before = Math.floor((width - 1) / 2);
  const sums = new Float64Array(n + 1);
  for (let t = 0; t < n; t++) sums[t + 1] = sums[t]! + values[t]!;
  const size = Math.min(width, n);
  return Float64Array.from({ length: n }, (_, t) => {
    const start = Math.min(Math.max(t - before, 0), n - size);
    return (sums[start + size]! - sums[start]!) / size;
  });
}

/** Weighted means by slot, shrunk to 0 by half an observation; the weight halves every `halfLife` values. */
function shrunkMeans(values: Float64Array, period: number, halfLife: number): Float64Array {
  const sums = new Float64Array(period);
  const weights = new Float64Array(period);
  const decay = 0.5 ** (1 / halfLife);
  let weight = 1;
  for (let t = values.length - 1; t >= 0; t--, weight *= decay) {
    sums[t % period]! += weight * values[t]!;
    weights[t % period]! += weight;
  }
  return sums.map((sum, slot) => sum / (weights[slot]! + shrinkage));
}

/** The coefficients of a robust autoregression without intercept (least absolute errors by reweighting). */
function fitRobustAr(values: Float64Array, lags: readonly number[]): Float64Array {
  const size = lags.length;
  const first = Math.max(...lags);
  const weights = new Float64Array(values.length).fill(1);
  let coefficients: Float64Array = new Float64Array(size);
  for (let round = 0; round <= reweightings; round++) {
    const matrix = new Float64Array(size * size);
    const right = new Float64Array(size);
    for (let t = first; t < values.length; t++)
      for (let i = 0; i < size; i++) {
        const x = weights[t]! * values[t - lags[i]!]!;
        for (let j = 0; j <= i; j++) matrix[i * size + j]! += x * values[t - lags[j]!]!;
        right[i]! += x * values[t]!;
      }
    for (let i = 0; i < size; i++) matrix[i * size + i]! += ridge * (matrix[i * size + i]! + 1e-9);
    coefficients = solveCholesky(factorCholesky(matrix, size), size, right);
    let mean = 0;
    for (let t = first; t < values.length; t++) {
      let error = values[t]!;
      for (let i = 0; i < size; i++) error -= coefficients[i]! * values[t - lags[i]!]!;
      weights[t] = Math.abs(error);
      mean += weights[t]! / (values.length - first);
    }
    for (let t = first; t < values.length; t++) weights[t] = mean / Math.max(weights[t]!, 0.4 * mean + 1e-12);
  }
  return coefficients;
}

/**
 * Weekly profile and autoregression: level (centred mean over a week, extended constantly at the ends), mean of each
 * hour of the day, deviation of each hour of the week with a half-life of four weeks, and a robust autoregression of
 * the remainder.
 *
 * @param values the history on the model's scale, at least two weeks
 */
export function forecastProfileAr(values: Float64Array, { day, week }: ProfilePeriods, horizon: number): Float64Array {
  const n = values.length;
  const level = centredLevel(values, week);
  const detrended = values.map((value, t) => value - level[t]!);
  const daily = shrunkMeans(detrended, day, halfLifeWeeks * week);
  const deviations = detrended.map((value, t) => value - daily[t % day]!);
  const weekly = shrunkMeans(deviations, week, halfLifeWeeks * week);
  const remainder = new Float64Array(n + horizon);
  for (let t = 0; t < n; t++) remainder[t] = deviations[t]! - weekly[t % week]!;
  const lags = [...new Set([1, 2, day - 1, day, day + 1, 2 * day])].filter((lag) => lag > 0 && lag < n / 2);
  const coefficients = fitRobustAr(remainder.subarray(0, n), lags);
  const bound = Math.max(...remainder.subarray(0, n).map(Math.abs));
  return Float64Array.from({ length: horizon }, (_, h) => {
    const t = n + h;
    let value = 0;
    for (let i = 0; i < lags.length; i++) value += coefficients[i]! * remainder[t - lags[i]!]!;
    remainder[t] = Math.min(Math.max(value, -bound), bound);
    return level[n - 1]! + daily[t % day]! + weekly[t % week]! + remainder[t]!;
  });
}
