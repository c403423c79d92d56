/** The time between two values of a series. */
export type Interval =
  | "MINUTE_1"
  | "MINUTE_5"
  | "MINUTE_15"
  | "MINUTE_30"
  | "HOUR_1"
  | "HOUR_4"
  | "HOUR_12"
  | "DAY_1"
  | "WEEK_1"
  | "MONTH_1"
  | "QUARTER_1"
  | "YEAR_1";

/** The season and the longer season of a series in values; null when the interval has none, or when it does not fit. */
export type Periods = {
  season: number | null;
  cycle: number | null;
  /** The longer season of profiles, which need fewer values: from ten seasons on. */
  profileCycle: number | null;
  /** Weekly series: their season is a year, and regressions without it have skill too. */
  isYearly: boolean;
};

/** A quarter of a year: the held-back length of weekly series. */
const quarter = 13;

/**
 * A day and a week in values; for intervals of half a day and longer the season is a week, for weeks, months and quarters
 * a year; years have no season. Two values do not describe a daily shape, so that the season of HOUR_12 is its week.
 */
const periods: Readonly<Record<Interval, Pick<Periods, "season" | "cycle">>> = {
  MINUTE_1: { season: 1_440, cycle: 10_080 },
  MINUTE_5: { season: 288, cycle: 2_016 },
  MINUTE_15: { season: 96, cycle: 672 },
  MINUTE_30: { season: 48, cycle: 336 },
  HOUR_1: { season: 24, cycle: 168 },
  HOUR_4: { season: 6, cycle: 42 },
  HOUR_12: { season: 14, cycle: null },
  DAY_1: { season: 7, cycle: null },
  WEEK_1: { season: 52, cycle: null },
  MONTH_1: { season: 12, cycle: null },
  QUARTER_1: { season: 4, cycle: null },
  YEAR_1: { season: null, cycle: null },
};

/** All intervals, the shortest first. */
export const intervals = Object.keys(periods) as Interval[];

/** The values in a day; null for intervals of half a day and longer. */
export function getDay(interval: Interval): number | null {
  const { season, cycle } = periods[interval];
  return cycle === null ? null : season;
}

/** The periods of an interval, for days of `day` values. */
function getPeriods(interval: Interval, day: number | null): Pick<Periods, "season" | "cycle"> {
  const { season, cycle } = periods[interval];
  return season === null || cycle === null || day === null
    ? { season, cycle }
    : { season: day, cycle: (cycle / season) * day };
}

/**
 * The periods of an interval that fit at least three times into `length` values.
 *
 * @param day the values in a day, if a series has days of its own length
 */
export function fittingPeriods(interval: Interval, length: number, day = getDay(interval)): Periods {
  const { season, cycle } = getPeriods(interval, day);
  const fits = (period: number | null) => (period !== null && minSeasons * period <= length ? period : null);
  const profileCycle = season !== null && length >= minSeasonsOfProfiles * season ? cycle : null;
  return { season: fits(season), cycle: fits(cycle), profileCycle, isYearly: interval === "WEEK_1" };
}

/** The seasons that a series must have for the models of seasonal series; series with fewer seasons are short. */
export const minSeasons = 3;
const minSeasonsOfProfiles = 10;
/** A season of fewer values has too few differences in a short series to be recognised. */
export const minShortSeason = 24;

/**
 * The periods of a short series: the season of an interval of up to one hour, if it fits once, but not `minSeasons`
 * times; otherwise null.
 */
export function shortPeriods(
  interval: Interval,
  length: number,
  day = getDay(interval),
): (Periods & { season: number }) | null {
  const { season } = getPeriods(interval, day);
  if (season === null || (periods[interval].season ?? 0) < minShortSeason || interval === "WEEK_1") return null;
  return season <= length && length < minSeasons * season
    ? { season, cycle: null, profileCycle: null, isYearly: false }
    : null;
}

/**
 * The number of values held back at once to evaluate forecasts: two seasons, one for a series shorter than five
 * seasons, a quarter for weekly series; null when no season fits.
 */
export function getHeldBackLength({ season, isYearly }: Periods, length: number): number | null {
  if (isYearly) return quarter;
  return season && (length < 5 * season ? season : 2 * season);
}
