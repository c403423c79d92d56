import { seasonalNaiveScale } from "./mase.ts";
import { requireEqualLength } from "./requireEqualLength.ts";

type Interval = { lower: readonly number[]; upper: readonly number[] };

/**
 * The mean scaled interval score of central intervals (Gneiting & Raftery 2007; M4 uses level 0.95): width plus 2/alpha
 * times the distance of a value outside of its interval, divided by `seasonalNaiveScale`.
 *
 * @param level 0..1, e.g. 0.95
 * @throws RangeError when the lengths differ or the lists are empty
 */
export function msis(
  history: readonly number[],
  actual: readonly number[],
  { lower, upper }: Interval,
  { season, level }: { season: number; level: number },
): number {
  requireEqualLength(actual, lower);
  requireEqualLength(actual, upper);
  const penalty = 2 / (1 - level);
  let sum = 0;
  for (const [i, y] of actual.entries())
    sum += upper[i]! - lower[i]! + penalty * (Math.max(0, lower[i]! - y) + Math.max(0, y - upper[i]!));
  return sum / actual.length / seasonalNaiveScale(history, season);
}

/** The share of values inside of their intervals, limits included. */
export function coverage(actual: readonly number[], { lower, upper }: Interval): number {
  requireEqualLength(actual, lower);
  requireEqualLength(actual, upper);
  return actual.filter((y, i) => lower[i]! <= y && y <= upper[i]!).length / actual.length;
}
