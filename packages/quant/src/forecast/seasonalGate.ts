import { mean, median } from "../numeric/quantile.ts";

/** A series between these limits counts as not seasonal; chosen on held-back data, see the package's README. */
const lowerBound = -0.3;
const upperBound = 0.12;
/** The upper bound for counts of fewer than ten seasons. */
const upperBoundOfCounts = 0;

/**
 * The minimum score of a short seasonal series, and the weights of its parts; chosen on hourly prices before 2022-06-14
 * and on M4 Hourly: 3 to 5% of price series pass, and 90% of the others with 24 values, 97% with 48, 98% with 60.
 */
const minShortScore = 2.1;
/** The same for counts, which are rarely random walks; chosen on held-back ends of M4 Hourly and on rounded prices. */
const minShortScoreOfCounts = -0.5;
/** Whole numbers above this can be prices in the smallest unit of a token. */
const largestCount = 1e7;
/** The smallest range of a day of counts, relative to its mean: 97% of days of prices have less, 0.7% of counts. */
const minRangeOfCounts = 0.2;
const halfSeasonWeight = 0.5;
const nearStepsWeight = 0.25;
const returnWeight = 3;
/** The number of pairs one season apart at which their autocorrelation has half of its weight. */
const pairsOfHalfWeight = 6;

/**
 * Whether a series consists of counts, such as visits or trades in an hour: their days repeat more often than those of
 * prices, which are rarely whole numbers.
 */
export function areCounts(series: readonly number[]): boolean {
  return series.every((value) => Number.isInteger(value) && value >= 0 && value <= largestCount);
}

/** Whether the last season varies as much as that of counts does: prices that were rounded to whole numbers do not. */
export function variesLikeCounts(series: readonly number[], season: number): boolean {
  const last = series.slice(-season);
  return Math.max(...last) - Math.min(...last) > minRangeOfCounts * Math.abs(mean(last));
}

/** First differences, clipped at twice their median absolute size. */
function clippedDifferences(series: readonly number[]): number[] {
  const differences = series.slice(1).map((value, t) => value - series[t]!);
  let bound = 2 * median(differences.map(Math.abs));
  // More than half of the steps are 0, so that their median is no measure of the others.
  if (bound === 0) bound = Math.max(...differences.map(Math.abs));
  return differences.map((value) => Math.min(Math.max(value, -bound), bound));
}

/**
 * Whether a series of fewer than three seasons probably repeats its season. The parts of the score: autocorrelations of
 * the differences, times the root of the number of pairs, at one season, at one to three steps (the shape of a day is
 * smooth, the steps of prices are not) and, negative, at half a season; and how near the last season ends to its begin.
 */
export function hasShortSeason(series: readonly number[], season: number, isOfCounts: boolean): boolean {
  const steps = clippedDifferences(series);
  const correlate = (lag: number) => {
    let [product, before, after] = [0, 0, 0];
    for (let t = lag; t < steps.length; t++) {
      product += steps[t]! * steps[t - lag]!;
      before += steps[t - lag]! ** 2;
      after += steps[t]! ** 2;
    }
    const size = Math.sqrt(before * after);
    return size > 0 ? (product / size) * Math.sqrt(steps.length - lag) : 0;
  };
  const last = series.slice(-season);
  const range = Math.max(...last) - Math.min(...last);
  const distance = range > 0 ? Math.abs(last.at(-1)! - last[0]!) / range : 1;
  const pairs = Math.max(0, steps.length - season);
  const repetition = (correlate(season) * pairs) / (pairs + pairsOfHalfWeight);
  const smoothness = correlate(1) + nearStepsWeight * (correlate(2) + correlate(3));
  const shape = repetition + smoothness - halfSeasonWeight * correlate(Math.floor(season / 2));
  return shape + returnWeight * (0.5 - distance) >= (isOfCounts ? minShortScoreOfCounts : minShortScore);
}

/**
 * The autocorrelation at the season of the first differences, which are clipped at twice their median absolute size so
 * that single jumps do not dominate it.
 *
 * @returns 0 for a constant series, and for fewer than two seasons
 */
export function seasonalCorrelation(series: readonly number[], season: number): number {
  if (series.length - 1 < 2 * season) return 0;
  const clipped = clippedDifferences(series);
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
export function isCandidate(
  correlation: number | null,
  { isYearly, isOfCounts }: { isYearly: boolean; isOfCounts: boolean },
): boolean {
  const bound = isOfCounts ? upperBoundOfCounts : upperBound;
  return isYearly || (correlation !== null && (correlation >= bound || correlation <= lowerBound));
}
