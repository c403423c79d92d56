/** @throws RangeError when two lists to compare value by value differ in length, or are empty */
function requireEqualLength(actual: readonly number[], forecast: readonly number[]): void {
  if (actual.length !== forecast.length || actual.length === 0)
    throw new RangeError(
      `${actual.length} values cannot be compared with ${forecast.length}: pass equally many, at least one`,
    );
}

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

/** Mean sMAPE and mean MASE of a method over many series. */
export type Accuracy = { smape: number; mase: number };

/**
 * The overall weighted average of the M4 competition: the mean of sMAPE and MASE, each divided by the value of Naive2
 * (Makridakis et al. 2020). 1 equals Naive2; lower is better.
 */
export function owa(method: Accuracy, naive2: Accuracy): number {
  return (method.smape / naive2.smape + method.mase / naive2.mase) / 2;
}

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

/**
 * The mean joint loss of value at risk and expected shortfall: (v - y)+ / (p e) + v / e + log e - 1 with losses as
 * positive numbers, so that y is the loss (Fissler & Ziegel 2016, Annals of Statistics 44(4); the form FZ0 of Patton,
 * Ziegel & Chen 2019, J. Econometrics 211(2)). Only the pair of the true values minimises it. It can be negative: compare
 * methods by differences.
 *
 * @param losses the negative returns
 * @param valueAtRisk positive, exceeded with `probability`
 * @param expectedShortfall at least the value at risk
 * @throws RangeError when the lengths differ or the lists are empty
 */
export function jointLoss(
  losses: readonly number[],
  valueAtRisk: readonly number[],
  expectedShortfall: readonly number[],
  probability: number,
): number {
  requireEqualLength(losses, valueAtRisk);
  requireEqualLength(losses, expectedShortfall);
  let sum = 0;
  for (const [i, loss] of losses.entries()) {
    const [value, shortfall] = [valueAtRisk[i]!, expectedShortfall[i]!];
    sum += Math.max(0, loss - value) / (probability * shortfall) + value / shortfall + Math.log(shortfall) - 1;
  }
  return sum / losses.length;
}
