import { requireEqualLength } from "./requireEqualLength.ts";

/**
 * The scale of MASE and MSIS: the mean absolute error of the seasonal naive forecast within the history, mean of
 * |y_t - y_{t-season}| (Hyndman & Koehler 2006, IJF 22(4)).
 *
 * @returns NaN when the history is not longer than the season
 */
export function seasonalNaiveScale(history: readonly number[], season: number): number {
  let sum = 0;
  for (let t = season; t < history.length; t++) sum += Math.abs(history[t]! - history[t - season]!);
  return history.length > season ? sum / (history.length - season) : Number.NaN;
}

/**
 * The mean absolute scaled error (Hyndman & Koehler 2006): mean absolute error divided by `seasonalNaiveScale`.
 *
 * @throws RangeError when the lengths differ or the lists are empty
 */
export function mase(
  history: readonly number[],
  actual: readonly number[],
  forecast: readonly number[],
  season: number,
): number {
  requireEqualLength(actual, forecast);
  const errors = actual.map((y, i) => Math.abs(y - forecast[i]!));
  return errors.reduce((sum, error) => sum + error, 0) / errors.length / seasonalNaiveScale(history, season);
}
