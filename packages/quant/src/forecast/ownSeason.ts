import { minShortSeason } from "./periods.ts";

/** A season of another length than the interval's, and the number of values before it began to repeat. */
export type OwnSeason = { season: number; start: number };

/** The lengths that are tried, relative to the interval's season. */
const [shortest, longest] = [0.5, 1.5];
/** The largest distance of the last season from the one before, relative to the distance at the interval's season. */
const maxRatio = 0.3;
/** The same, relative to the distances at the two lengths beside it. */
const maxRatioBeside = 0.5;
/** The same for earlier seasons, relative to the interval's season. */
const maxEarlierRatio = 0.5;

/** The mean absolute difference between the `count` values before `end` and the values `lag` before them. */
function distance(series: readonly number[], lag: number, { end, count }: { end: number; count: number }): number {
  let sum = 0;
  for (let t = end - count; t < end; t++) sum += Math.abs(series[t]! - series[t - lag]!);
  return sum / count;
}

/**
 * The length that repeats best in the last values, if it repeats much better than the interval's season and than the
 * lengths beside it: the distance of a trend or of a random walk is hardly smaller at one length than at the next.
 */
function findLength(series: readonly number[], season: number): number | null {
  const last = { end: series.length, count: season };
  const longestLag = Math.min(Math.floor(longest * season), series.length - season);
  const getDistance = (lag: number) => (lag > longestLag ? Number.POSITIVE_INFINITY : distance(series, lag, last));
  let [best, smallest] = [season, maxRatio * getDistance(season)];
  for (let lag = Math.ceil(shortest * season); lag <= longestLag; lag++) {
    const size = getDistance(lag);
    if (size < smallest) [best, smallest] = [lag, size];
  }
  const beside = maxRatioBeside * Math.min(getDistance(best - 1), getDistance(best + 1));
  return best === season || smallest >= beside ? null : best;
}

/**
 * Finds the season of a series whose rows are not one interval apart, for example because its source omits the same
 * hour of each day: days of 23 values then look like a season of 24 that moves. The values before the first repetition
 * of this length are excluded: their season has another length.
 *
 * @param season the season of the interval in values
 * @returns null if the interval's season fits, for fewer than two seasons, and for seasons of few values
 */
export function findOwnSeason(series: readonly number[], season: number | null): OwnSeason | null {
  if (season === null || season < minShortSeason || series.length < 2 * season) return null;
  const length = findLength(series, season);
  if (length === null) return null;
  let end = series.length - length;
  while (end >= length + Math.max(length, season)) {
    const earlier = { end, count: length };
    if (distance(series, length, earlier) >= maxEarlierRatio * distance(series, season, earlier)) break;
    end -= length;
  }
  return { season: length, start: Math.max(0, end - length) };
}
