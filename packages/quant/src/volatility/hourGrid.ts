import { type HourlyBars, logRangeVariance, rangeVariance, varianceFloor } from "./dailyVariances.ts";

/** Hourly bars with all of their prices, and the value traded in quote; NaN when it is unknown. */
export type RiskBars = HourlyBars & { open: ArrayLike<number>; quoteVolume: ArrayLike<number> };

/** The bars by hour: entry i is the hour that opens at `start` + i hours; NaN when it is missing. */
export type HourGrid = {
  start: number;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  quoteVolume: Float64Array;
};

const hour = 3_600;
const dayHours = 24;

/**
 * Places bars on a grid of hours.
 *
 * @param bars at least one, in order of time
 * @throws RangeError for times that do not increase by whole hours, and for prices that are not positive
 */
export function toHourGrid({ time, open, high, low, close, quoteVolume }: RiskBars): HourGrid {
  const start = time[0]!;
  const hours = (time[time.length - 1]! - start) / hour + 1;
  const empty = () => new Float64Array(hours).fill(Number.NaN);
  const grid = { start, open: empty(), high: empty(), low: empty(), close: empty(), quoteVolume: empty() };
  let last = -1;
  for (let t = 0; t < time.length; t++) {
    const i = (time[t]! - start) / hour;
    if (!Number.isInteger(i) || i <= last) throw new RangeError(`bars must be whole hours apart, not at ${time[t]}`);
    if (!(low[t]! > 0 && high[t]! < Infinity)) throw new RangeError(`prices are positive, not ${low[t]} at ${time[t]}`);
    grid.open[i] = open[t]!;
    grid.high[i] = high[t]!;
    grid.low[i] = low[t]!;
    grid.close[i] = close[t]!;
    grid.quoteVolume[i] = quoteVolume[t]!;
    last = i;
  }
  return grid;
}

/** The log return of the 24 hours that end with hour `i`; NaN when one of the two bars is missing. */
export const dayReturn = ({ close }: HourGrid, i: number): number => Math.log(close[i]! / close[i - dayHours]!);

/** Mean range-based variances (Parkinson 1980) of a day over any last hours, from running sums. */
export function createRangeMeans({ high, low }: HourGrid): (i: number, hours: number) => number {
  const sums = new Float64Array(high.length + 1);
  const counts = new Int32Array(high.length + 1);
  for (let i = 0; i < high.length; i++) {
    const range = rangeVariance(high[i]!, low[i]!);
    const isKnown = !Number.isNaN(range);
    sums[i + 1] = sums[i]! + (isKnown ? range : 0);
    counts[i + 1] = counts[i]! + (isKnown ? 1 : 0);
  }
  return (i, hours) => {
    const from = i + 1 - hours;
    const count = from < 0 ? 0 : counts[i + 1]! - counts[from]!;
    if (count < hours / 2) return Number.NaN;
    return Math.max(varianceFloor, (dayHours * (sums[i + 1]! - sums[from]!)) / count);
  };
}

/** The mean of `logRangeVariance` over the hours that end with `i`; NaN when fewer than half of them are known. */
export function meanLogRange({ high, low }: HourGrid, i: number, hours: number): number {
  let [sum, count] = [0, 0];
  for (let t = Math.max(0, i + 1 - hours); t <= i; t++) {
    const log = logRangeVariance(rangeVariance(high[t]!, low[t]!));
    if (Number.isNaN(log)) continue;
    sum += log;
    count++;
  }
  return count < hours / 2 ? Number.NaN : sum / count;
}
