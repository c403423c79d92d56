import { median } from "../numeric/quantile.ts";

/** Between these bounds a series counts as not seasonal: chosen on held-back data, see the package's README. */
const lowerBound = -0.3;
const upperBound = 0.12;

/**
 * The autocorrelation at the season of the first differences, which are clipped at twice their median absolute size so
 * that single jumps do not decide it.
 *
 * @returns 0 for a constant series, and when there are not two seasons
 */
export function seasonalCorrelation(series: readonly number[], season: number): number {
  const differences = series.slice(1).map((value, t) => value - series[t]!);
  if (differences.length < 2 * season) return 0;
  let bound = 2 * median(differences.map(Math.abs));
  // More than half of the steps are 0: their median says nothing about the others.
  if (bound === 0) bound = Math.max(...differences.map(Math.abs));
  const clipped = differences.map((value) => Math.min(Math.max(value, -bound), bound));
  const center = clipped.reduce((sum, value) => sum + value, 0) / clipped.length;
  let variance = 0;
  let covariance = 0;
  for (const [t, value] of clipped.entries()) {
    variance += (value - center) ** 2;
    if (t >= season) covariance += (value - center) * (clipped[t - season]! - center);
  }
  return variance > 0 ? covariance / variance : 0;
}

/**
 * Whether a series of this correlation is seasonal, so that the ensemble is tried; a liquid price is not, and gets its
 * last value. For weeks the ensemble is always tried: it must beat the last value on held-back ends then.
 *
 * @param correlation null where no season fits
 */
export function isCandidate(correlation: number | null, { isYearly }: { isYearly: boolean }): boolean {
  return isYearly || (correlation !== null && (correlation >= upperBound || correlation <= lowerBound));
}
