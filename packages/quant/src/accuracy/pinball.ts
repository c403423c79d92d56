import { requireEqualLength } from "./requireEqualLength.ts";

/**
 * The mean quantile (pinball) loss of forecasts of one quantile (Koenker & Bassett 1978): (y - q) p above the
 * forecast, (q - y) (1 - p) below it.
 *
 * @param probability of the quantile, 0..1
 * @throws RangeError when the lengths differ or the lists are empty
 */
export function pinball(actual: readonly number[], quantiles: readonly number[], probability: number): number {
  requireEqualLength(actual, quantiles);
  let sum = 0;
  for (const [i, y] of actual.entries()) {
    const error = y - quantiles[i]!;
    sum += error >= 0 ? probability * error : (probability - 1) * error;
  }
  return sum / actual.length;
}
