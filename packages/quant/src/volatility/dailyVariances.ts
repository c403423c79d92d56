/** Hourly bars in order of time: `time` is the open in Unix seconds; hours may be missing. */
export type HourlyBars = {
  time: ArrayLike<number>;
  high: ArrayLike<number>;
  low: ArrayLike<number>;
  close: ArrayLike<number>;
};

/** Days of 24 hours: log returns from close to close, and variances from the hours of the day. */
export type Days = {
  /** The close of each day in Unix seconds. */
  end: number[];
  returns: Float64Array;
  realised: Float64Array;
  range: Float64Array;
  halfDay: Float64Array;
  /** Means of `logRangeVariance` over the hours of the day, and over its last half. */
  logRange: Float64Array;
  logHalfDay: Float64Array;
};

const hour = 3_600;
const dayHours = 24;
const day = dayHours * hour;
/** The minimum variance of a day, so that logarithms stay finite for a day without movement. */
export const varianceFloor = 1e-10;
/** The minimum variance of an hour: a range of 0.02%, about one tick. */
const hourFloor = 1e-8;
/** Minimum number of returns of adjacent hours in a day. */
const minHours = 12;

/** The variance of an hour from its range (Parkinson 1980); NaN for a missing hour. */
export const rangeVariance = (high: number, low: number): number => Math.log(high / low) ** 2 / (4 * Math.LN2);

/** The logarithm of an hour's variance; finite also for an hour without movement. */
export const logRangeVariance = (variance: number): number => Math.log(Math.max(hourFloor, variance));

/**
 * Splits hourly bars into days that end at `endOfDay` seconds after midnight UTC. Variances are scaled to 24 hours when
 * hours are missing; a return across a gap is not included. Omits a day when the bar at its start or end or most of its
 * hours are missing, because its return would cover another time.
 *
 * @throws RangeError when `endOfDay` is not a whole hour below 24
 */
export function toDays({ time, high, low, close }: HourlyBars, endOfDay: number): Days {
  if (endOfDay % hour !== 0 || endOfDay < 0 || endOfDay >= day)
    throw new RangeError(`a day ends at a whole hour, not at ${endOfDay} s`);
  const days = { end: [] as number[], returns: [] as number[], realised: [] as number[], range: [] as number[] };
  const [halfDay, logRange, logHalfDay]: [number[], number[], number[]] = [[], [], []];
  const scale = (sum: number, count: number) => Math.max(varianceFloor, (dayHours * sum) / Math.max(count, 1));
  let last = Number.NaN;
  let lastEnd = Number.NaN;
  const none = { square: 0, squares: 0, range: 0, ranges: 0, half: 0, halves: 0, log: 0, logHalf: 0 };
  let sums = { ...none };
  for (let t = 1; t < time.length; t++) {
    const end = time[t]! + hour;
    const range = rangeVariance(high[t]!, low[t]!);
    const log = logRangeVariance(range);
    sums.range += range;
    sums.log += log;
    sums.ranges++;
    if ((((endOfDay - end) % day) + day) % day < day / 2) {
      sums.half += range;
      sums.logHalf += log;
      sums.halves++;
    }
    if (time[t]! - time[t - 1]! === hour) {
      sums.square += Math.log(close[t]! / close[t - 1]!) ** 2;
      sums.squares++;
    }
    if (end % day !== endOfDay) continue;
    if (end - lastEnd === day && sums.squares >= minHours) {
      days.end.push(end);
      days.returns.push(Math.log(close[t]! / last));
      days.realised.push(scale(sums.square, sums.squares));
      days.range.push(scale(sums.range, sums.ranges));
      halfDay.push(scale(sums.half, sums.halves));
      logRange.push(sums.log / sums.ranges);
      logHalfDay.push(sums.halves === 0 ? sums.log / sums.ranges : sums.logHalf / sums.halves);
    }
    last = close[t]!;
    lastEnd = end;
    sums = { ...none };
  }
  const { end, returns, realised, range } = days;
  return {
    end,
    returns: Float64Array.from(returns),
    realised: Float64Array.from(realised),
    range: Float64Array.from(range),
    halfDay: Float64Array.from(halfDay),
    logRange: Float64Array.from(logRange),
    logHalfDay: Float64Array.from(logHalfDay),
  };
}
