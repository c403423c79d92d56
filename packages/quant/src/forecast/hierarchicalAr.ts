import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";
import type { Transformed } from "./transform.ts";

/** The regressors: lags, and one intercept for each position in the season. */
export type ArDesign = { lags: readonly number[]; season: number };

/** A normal prior of the coefficients: mean, inverse covariance (row-major), variance of the seasonal intercepts. */
export type ArPrior = { mean: Float64Array; precision: Float64Array; interceptVariance: number };

/**
 * Weighted sums of products up to a row: coefficients x coefficients, coefficients x intercepts, and with the target.
 */
export type Gram = {
  size: number;
  season: number;
  xx: Float64Array;
  xs: Float64Array;
  ss: Float64Array;
  xy: Float64Array;
  sy: Float64Array;
};

export type ArFit = { coefficients: Float64Array; intercepts: Float64Array };

/** Residuals below this share of the mean absolute residual get no higher weight. */
const residualFloor = 0.4;

/** The first row whose lags all exist. */
export function firstRow({ lags }: ArDesign): number {
  return Math.max(...lags);
}

/** The regressors of all rows, row-major from `firstRow`. */
export function buildRows(values: Float64Array, design: ArDesign): Float64Array {
  const { lags } = design;
  const first = firstRow(design);
  const rows = new Float64Array(Math.max(0, values.length - first) * lags.length);
  for (let t = first, at = 0; t < values.length; t++) for (const lag of lags) rows[at++] = values[t - lag]!;
  return rows;
}

/** The Gram matrices of the rows before each of the ascending `cuts`, from one pass. */
export function accumulateGrams(
  values: Float64Array,
  rows: Float64Array,
  weights: Float64Array,
  design: ArDesign,
  cuts: readonly number[],
): Gram[] {
  const first = firstRow(design);
  const { season } = design;
  const size = design.lags.length;
  const xx = new Float64Array(size * size);
  const xs = new Float64Array(season * size);
  const ss = new Float64Array(season);
  const xy = new Float64Array(size);
  const sy = new Float64Array(season);
  const grams: Gram[] = [];
  let t = first;
  for (const cut of cuts) {
    for (; t < cut; t++) {
      const at = (t - first) * size;
      const weight = weights[t - first]!;
      const target = weight * values[t]!;
      const slot = t % season;
      const slotAt = slot * size;
      for (let i = 0; i < size; i++) {
        const x = weight * rows[at + i]!;
        const rowAt = i * size;
        for (let j = 0; j <= i; j++) xx[rowAt + j]! += x * rows[at + j]!;
        xs[slotAt + i]! += x;
        xy[i]! += target * rows[at + i]!;
      }
      ss[slot]! += weight;
      sy[slot]! += target;
    }
    grams.push({ size, season, xx: xx.slice(), xs: xs.slice(), ss: ss.slice(), xy: xy.slice(), sy: sy.slice() });
  }
  return grams;
}

/** The same sums with all weights multiplied by `factor`. */
export function scaleGram(gram: Gram, factor: number): Gram {
  const scale = (values: Float64Array) => values.map((value) => value * factor);
  const { xx, xs, ss, xy, sy } = gram;
  return { ...gram, xx: scale(xx), xs: scale(xs), ss: scale(ss), xy: scale(xy), sy: scale(sy) };
}

/** The lower triangle and right side of the normal equations with the seasonal intercepts eliminated (Schur complement). */
export function reduceGram(
  { size, season, xx, xs, ss, xy, sy }: Gram,
  variance: number,
  interceptVariance: number,
): { matrix: Float64Array; right: Float64Array } {
  const matrix = xx.slice();
  const right = xy.slice();
  for (let slot = 0; slot < season; slot++) {
    const inverse = 1 / (ss[slot]! + variance / interceptVariance);
    const at = slot * size;
    for (let i = 0; i < size; i++) {
      const x = xs[at + i]! * inverse;
      for (let j = 0; j <= i; j++) matrix[i * size + j]! -= x * xs[at + j]!;
      right[i]! -= x * sy[slot]!;
    }
  }
  for (let i = 0; i < size * size; i++) matrix[i]! /= variance;
  for (let i = 0; i < size; i++) right[i]! /= variance;
  return { matrix, right };
}

/** The posterior mode of the coefficients: (XᵀWX/σ² + κS⁻¹) b = XᵀWy/σ² + κS⁻¹m, and of the intercepts. */
export function solveGram(gram: Gram, prior: ArPrior, variance: number, kappa: number): ArFit {
  const { size, season } = gram;
  const { matrix, right } = reduceGram(gram, variance, prior.interceptVariance);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const share = kappa * prior.precision[i * size + j]!;
      matrix[i * size + j]! += share;
      right[i]! += share * prior.mean[j]!;
    }
  const coefficients = solveCholesky(factorCholesky(matrix, size), size, right);
  const intercepts = new Float64Array(season);
  for (let slot = 0; slot < season; slot++) {
    let sum = gram.sy[slot]!;
    for (let i = 0; i < size; i++) sum -= gram.xs[slot * size + i]! * coefficients[i]!;
    intercepts[slot] = sum / (gram.ss[slot]! + variance / prior.interceptVariance);
  }
  return { coefficients, intercepts };
}

/** The absolute one-step residuals of all rows. */
function absoluteResiduals(values: Float64Array, rows: Float64Array, design: ArDesign, fit: ArFit): Float64Array {
  const first = firstRow(design);
  const size = fit.coefficients.length;
  const residuals = new Float64Array(values.length - first);
  for (let t = first; t < values.length; t++) {
    let error = values[t]! - fit.intercepts[t % design.season]!;
    const at = (t - first) * size;
    for (let i = 0; i < size; i++) error -= rows[at + i]! * fit.coefficients[i]!;
    residuals[t - first] = Math.abs(error);
  }
  return residuals;
}

/** Weights of a least absolute error fit by reweighting, β/|r| with β = mean |r|, and the variance β² of such a fit. */
export function robustWeights(
  values: Float64Array,
  rows: Float64Array,
  design: ArDesign,
  prior: ArPrior,
  { kappa, rounds }: { kappa: number; rounds: number },
): { weights: Float64Array; variance: number } {
  let weights = new Float64Array(values.length - firstRow(design)).fill(1);
  let variance = 0.1;
  for (let round = 0; round < rounds; round++) {
    const [gram] = accumulateGrams(values, rows, weights, design, [values.length]);
    const residuals = absoluteResiduals(values, rows, design, solveGram(gram!, prior, variance, kappa));
    let size = 0;
    for (const residual of residuals) size += residual / residuals.length;
    size = Math.max(size, 1e-9);
    variance = size * size;
    weights = residuals.map((residual) => size / Math.max(residual, residualFloor * size));
  }
  return { weights, variance };
}

/** Forecasts `horizon` values after `cut` recursively, each clamped to the permitted range. */
export function forecastAr(
  { values, lower, upper }: Pick<Transformed, "values" | "lower" | "upper">,
  design: ArDesign,
  fit: ArFit,
  cut: number,
  horizon: number,
): Float64Array {
  const { lags, season } = design;
  const path = new Float64Array(cut + horizon);
  path.set(values.subarray(0, cut));
  for (let t = cut; t < path.length; t++) {
    let value = fit.intercepts[t % season]!;
    for (let i = 0; i < lags.length; i++) value += fit.coefficients[i]! * path[t - lags[i]!]!;
    path[t] = Math.min(Math.max(value, lower), upper);
  }
  return path.slice(cut);
}
