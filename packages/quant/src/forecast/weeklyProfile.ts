import { mean, median } from "../numeric/quantile.ts";

const weeks = 4;

/**
 * Profile median: the median over the last four weeks of the same hour's deviation from the mean of its week, plus the
 * mean of the last week.
 *
 * @param values the history on the model's scale, at least one week
 * @param week values in a week
 */
export function forecastWeeklyProfile(values: Float64Array, week: number, horizon: number): Float64Array {
  const n = values.length;
  const count = Math.min(weeks, Math.floor(n / week));
  const levels = Array.from({ length: count }, (_, k) => mean(values.subarray(n - (k + 1) * week, n - k * week)));
  return Float64Array.from({ length: horizon }, (_, h) => {
    const position = h % week;
    const deviations = levels.map((level, k) => values[n - (k + 1) * week + position]! - level);
    return levels[0]! + median(deviations);
  });
}
