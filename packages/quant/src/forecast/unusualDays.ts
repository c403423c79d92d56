import { median } from "../numeric/quantile.ts";
import type { Periods } from "./periods.ts";

/** The smallest difference of an unusual day, as a logarithm: a total of a quarter less, or of a third more. */
const minDifference = 0.3;
/** The largest difference of a day that is scaled: a day with less than a third has no shape that could be scaled. */
const maxDifference = 1;
/** The smallest difference, relative to the median difference of earlier days. */
const minTimesTypical = 4;
/** A smaller typical difference counts as this one. */
const smallestTypical = 0.01;
/** The weeks whose same weekday is compared, and the fewest of them. */
const [maxWeeks, minWeeks] = [4, 2];
/** The days before a day that determine the present level. */
const daysOfLevel = 6;
/** The fewest earlier days with a known difference. */
const minKnownDays = 4;

/** The logarithms of the totals of days; days are aligned to the end of the series. */
function getLogTotals(series: readonly number[], day: number): number[] {
  const days = Math.floor(series.length / day);
  const first = series.length - days * day;
  return Array.from({ length: days }, (_, d) => {
    let total = 0;
    for (let t = first + d * day; t < first + (d + 1) * day; t++) total += series[t]!;
    return Math.log(total);
  });
}

/**
 * The difference of each day's total from its expected total, as logarithms: the median of the same weekday in up to four
 * weeks before, moved by the level of the six days before. NaN for the first days.
 */
function getDifferences(totals: readonly number[], daysOfWeek: number): number[] {
  const relative = totals.map((total, d) => {
    const same = Array.from({ length: maxWeeks }, (_, k) => totals[d - (k + 1) * daysOfWeek]);
    const known = same.filter((each) => each !== undefined);
    return known.length < minWeeks ? Number.NaN : total - median(known);
  });
  return relative.map((each, d) => {
    const before = relative.slice(Math.max(0, d - daysOfLevel), d).filter((one) => !Number.isNaN(one));
    return before.length < daysOfLevel ? Number.NaN : each - median(before);
  });
}

/**
 * Scales each unusual day to its expected total. A day is unusual, such as a holiday, if its total differs much from the
 * expected one and the day before it was not unusual. Over the series that the models were chosen on, a fifth of such a
 * difference or less is left on the next day, in contrast to two thirds of a usual one; linear models cannot learn both.
 * The scale of a day depends only on values up to the end of the day.
 *
 * @param series the values before a forecast
 * @returns the same series if no week fits, if a value is negative, or if a day has a total of 0
 */
export function scaleUnusualDays(series: readonly number[], { season, cycle }: Periods): readonly number[] {
  if (season === null || cycle === null || series.some((value) => value < 0)) return series;
  const totals = getLogTotals(series, season);
  if (!totals.every(Number.isFinite)) return series;
  const differences = getDifferences(totals, Math.round(cycle / season));
  const isUnusual = (difference: number, d: number) => {
    if (!(Math.abs(difference) >= minDifference)) return false;
    const earlier = differences.slice(0, d).filter((one) => !Number.isNaN(one));
    const typical = Math.max(median(earlier.map(Math.abs)), smallestTypical);
    return earlier.length >= minKnownDays && Math.abs(difference) >= minTimesTypical * typical;
  };
  const unusual = differences.map(isUnusual);
  const first = series.length - totals.length * season;
  let scaled: number[] | null = null;
  for (const [d, difference] of differences.entries()) {
    if (!unusual[d] || unusual[d - 1] || Math.abs(difference) > maxDifference) continue;
    scaled ??= [...series];
    const factor = Math.exp(-difference);
    for (let t = first + d * season; t < first + (d + 1) * season; t++) scaled[t] = series[t]! * factor;
  }
  return scaled ?? series;
}
