import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";

const reweightings = 3;
const residualFloor = 0.4;

type Options = { lags: readonly number[]; ridge: number };

/** The lags of a remainder without level and season: the last values and those near a day and two days ago. */
export function remainderLags(day: number, length: number): number[] {
  return [...new Set([1, 2, day - 1, day, day + 1, 2 * day])].filter((lag) => lag > 0 && lag < length / 2);
}

/** Weights of a least absolute error fit by reweighting: mean / |residual|, bounded for small residuals. */
export function weighResiduals(residuals: Float64Array): Float64Array {
  let mean = 0;
  for (let t = 0; t < residuals.length; t++) mean += Math.abs(residuals[t]!);
  mean /= residuals.length;
  const floor = residualFloor * mean + 1e-12;
  const weights = new Float64Array(residuals.length);
  for (let t = 0; t < residuals.length; t++) weights[t] = mean / Math.max(Math.abs(residuals[t]!), floor);
  return weights;
}

/** The coefficients of a robust autoregression without intercept (least absolute errors by reweighting). */
export function fitRobustAr(values: Float64Array, { lags, ridge }: Options): Float64Array {
  const size = lags.length;
  const first = Math.max(...lags);
  let weights: Float64Array = new Float64Array(values.length - first).fill(1);
  let coefficients: Float64Array = new Float64Array(size);
  for (let round = 0; round <= reweightings; round++) {
    const matrix = new Float64Array(size * size);
    const right = new Float64Array(size);
    for (let t = first; t < values.length; t++)
      for (let i = 0; i < size; i++) {
        const x = weights[t - first]! * values[t - lags[i]!]!;
        for (let j = 0; j <= i; j++) matrix[i * size + j]! += x * values[t - lags[j]!]!;
        right[i]! += x * values[t]!;
      }
    for (let i = 0; i < size; i++) matrix[i * size + i]! += ridge * (matrix[i * size + i]! + 1e-9);
    coefficients = solveCholesky(factorCholesky(matrix, size), size, right);
    if (round === reweightings) break;
    const residuals = new Float64Array(values.length - first);
    for (let t = first; t < values.length; t++) {
      let error = values[t]!;
      for (let i = 0; i < size; i++) error -= coefficients[i]! * values[t - lags[i]!]!;
      residuals[t - first] = error;
    }
    weights = weighResiduals(residuals);
  }
  return coefficients;
}

/** Continues values by their own robust autoregression, within their largest absolute value. */
export function continueRobustAr(values: Float64Array, options: Options, horizon: number): Float64Array {
  const n = values.length;
  const { lags } = options;
  const path = new Float64Array(n + horizon);
  path.set(values);
  if (lags.length === 0) return path.slice(n);
  const coefficients = fitRobustAr(values, options);
  let bound = 0;
  for (const value of values) bound = Math.max(bound, Math.abs(value));
  for (let t = n; t < path.length; t++) {
    let value = 0;
    for (let i = 0; i < lags.length; i++) value += coefficients[i]! * path[t - lags[i]!]!;
    path[t] = Math.min(Math.max(value, -bound), bound);
  }
  return path.slice(n);
}
