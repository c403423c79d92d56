import { normalSurvival } from "../numeric/distributions.ts";
import { mean } from "../numeric/quantile.ts";

/**
 * The test of equal accuracy (Diebold & Mariano 1995) with the small-sample factor of Harvey, Leybourne & Newbold
 * (1997), by the normal distribution.
 *
 * @param first losses of the first forecast by time
 * @param second losses of the second forecast
 * @param horizon steps ahead: autocovariances up to horizon - 1 enter the variance
 * @returns a negative statistic when the first is better; the two-sided p value
 */
export function dieboldMariano(
  first: readonly number[],
  second: readonly number[],
  horizon = 1,
): { statistic: number; pValue: number } {
  const differences = first.map((loss, t) => loss - second[t]!);
  const center = mean(differences);
  const n = differences.length;
  let variance = 0;
  for (let lag = 0; lag < horizon; lag++) {
    let sum = 0;
    for (let t = lag; t < n; t++) sum += (differences[t]! - center) * (differences[t - lag]! - center);
    variance += ((lag === 0 ? 1 : 2) * sum) / n;
  }
  const factor = Math.sqrt((n + 1 - 2 * horizon + (horizon * (horizon - 1)) / n) / n);
  const statistic = variance > 0 ? (factor * center) / Math.sqrt(variance / n) : 0;
  return { statistic, pValue: 2 * normalSurvival(Math.abs(statistic)) };
}
