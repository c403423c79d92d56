import { median } from "../numeric/quantile.ts";

/** A series between these limits counts as not seasonal; chosen on held-back data, see the package's README. */
const lowerBound = -0.3;
const upperBound = 0.12;

/**
 * The autocorrelation at the season of the first differences, which are clipped at twice their median absolute size so
 * that single jumps do not dominate it.
 *
 * @returns 0 for a constant series, and for fewer than two seasons
 */
export function seasonalCorrelation(series: readonly number[], season: number): number {
  const differences = series.slice(1).map((value, t) => value - series[t]!);
  if (differences.length < 2 * season) return 0;
  let bound = 2 * median(differences.map(Math.abs));
  // More than half of the steps are 0, so that their median is no measure of the others.
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
 * Whether a series with this correlation is a candidate for the ensemble; other series, such as liquid prices, get
 * their last value. Weekly series are always candidates, and the ensemble must then beat the last value on held-back
 * ends.
 *
 * @param correlation null when no season fits
 */
export function isCandidate(correlation: number | null, { isYearly }: { isYearly: boolean }): boolean {
  return isYearly || (correlation !== null && (correlation >= upperBound || correlation <= lowerBound));
}
