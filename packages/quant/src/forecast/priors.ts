import { factorCholesky, invertCholesky } from "../numeric/cholesky.ts";
import type { ArPrior } from "./hierarchicalAr.ts";

/** A prior as JSON: the mean, the lower Cholesky factor of the covariance by rows, the variance of intercepts. */
export type StoredPrior = { mean: number[]; factor: number[]; interceptVariance: number };

/**
 * Converts a stored prior. The covariance is stored as its factor, which stays positive definite when rounded to few
 * digits.
 */
export function toArPrior({ mean, factor, interceptVariance }: StoredPrior): ArPrior {
  const size = mean.length;
  const covariance = new Float64Array(size * size);
  const at = (i: number, j: number) => factor[(i * (i + 1)) / 2 + j]!;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++)
      for (let k = 0; k <= Math.min(i, j); k++) covariance[i * size + j]! += at(i, k) * at(j, k);
  return { mean: Float64Array.from(mean), precision: invertCholesky(covariance, size), interceptVariance };
}

/** The inverse of `toArPrior`, rounded to `digits` significant digits. */
export function toStoredPrior({ mean, precision, interceptVariance }: ArPrior, digits = 5): StoredPrior {
  const size = mean.length;
  const round = (value: number) => Number(value.toPrecision(digits));
  const lower = factorCholesky(invertCholesky(precision, size), size);
  const factor: number[] = [];
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) factor.push(round(lower[i * size + j]!));
  return { mean: [...mean].map(round), factor, interceptVariance: round(interceptVariance) };
}
