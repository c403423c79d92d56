import { requireEqualLength } from "./requireEqualLength.ts";

/**
 * The symmetric mean absolute percentage error in percent, 0..200: mean of 200 |y - f| / (|y| + |f|), as the M4
 * competition counts it (Makridakis et al. 2020, IJF 36(1)). A pair of zeros counts as no error.
 *
 * @throws RangeError when the lengths differ or the lists are empty
 */
export function smape(actual: readonly number[], forecast: readonly number[]): number {
  requireEqualLength(actual, forecast);
  let sum = 0;
  for (const [i, y] of actual.entries()) {
    const size = Math.abs(y) + Math.abs(forecast[i]!);
    if (size > 0) sum += (200 * Math.abs(y - forecast[i]!)) / size;
  }
  return sum / actual.length;
}
