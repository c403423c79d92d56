import type { ArDesign } from "./hierarchicalAr.ts";
import type { Periods } from "./periods.ts";

/**
 * A regression that is a member of the ensemble: its scale, the weight of its prior, and the design for the periods.
 */
export type ArMember = {
  name: string;
  isLog: boolean;
  /** The regression is on changes from one value to the next. */
  isOfChanges?: boolean;
  kappa: number;
  /** The age in seasons at which the weight of a value halves; by default 3.5. */
  halfLifeSeasons?: number;
  /** The number of seasons in the windows on which the prior is learned; by default the whole series. */
  windowSeasons?: number;
  design: (periods: Periods) => ArDesign | null;
};

const around = (period: number, before: number, after: number) =>
  Array.from({ length: before + after + 1 }, (_, i) => period - before + i);

const dailyLags = (season: number) => [1, 2, 3, ...around(season, 1, 2), ...around(2 * season, 1, 1)];

/** One season: lags near the season and near twice the season. */
function designDaily({ season, cycle, isYearly }: Periods): ArDesign | null {
  return season === null || cycle !== null || isYearly ? null : { lags: dailyLags(season), season };
}

/** The lags of one season for a series that has a week too: it errs in other places than the regressions on the week. */
function designDailyOfWeek({ season, cycle }: Periods): ArDesign | null {
  return season === null || cycle === null ? null : { lags: dailyLags(season), season };
}

/** Short lags and lags near the season, without seasonal intercepts: series of little more than a season have enough. */
function designSeason({ season, cycle, isYearly }: Periods): ArDesign | null {
  if (season === null || cycle !== null || isYearly) return null;
  return { lags: [1, 2, ...around(season, 1, 2)], season: 1 };
}

/** Lags near the day, the week and two weeks. */
function designTwoWeeks({ season, cycle }: Periods): ArDesign | null {
  if (season === null || cycle === null) return null;
  const lags = [...dailyLags(season), ...around(cycle, 1, 2), ...around(2 * cycle, 1, 1)];
  return { lags, season };
}

/** Changes from one value to the next: the last ones, and those near one to three days and one and two weeks ago. */
function designChanges({ season, cycle }: Periods): ArDesign | null {
  if (season === null || cycle === null) return null;
  const daily = [...around(season, 1, 1), ...around(2 * season, 1, 1), 3 * season];
  return { lags: [1, 2, 3, ...daily, ...around(cycle, 1, 1), 2 * cycle], season };
}

/**
 * Weekly series: the last four weeks and the weeks near a year ago; one intercept, because 52 would need too much data.
 */
function designYear({ season, isYearly }: Periods): ArDesign | null {
  return season === null || !isYearly ? null : { lags: [1, 2, 3, 4, ...around(season, 1, 2)], season: 1 };
}

function designQuarters({ season, isYearly }: Periods): ArDesign | null {
  if (season === null || !isYearly) return null;
  const lags = [1, 2, 3, 4, 5, season / 4, season / 2, ...around(season, 1, 2)];
  return { lags, season: 1 };
}

function designTwoYears({ season, isYearly }: Periods): ArDesign | null {
  if (season === null || !isYearly) return null;
  return { lags: [1, 2, 3, ...around(season, 1, 2), ...around(2 * season, 1, 2)], season: 1 };
}

function designShort({ isYearly }: Periods): ArDesign | null {
  return isYearly ? { lags: [1, 2, 3], season: 1 } : null;
}

/** The regressions of the ensemble; the trainer learns a prior for each, by name. */
export const arMembers: readonly ArMember[] = [
  { name: "changes_log", isLog: true, isOfChanges: true, kappa: 1, halfLifeSeasons: 5, design: designChanges },
  { name: "raw3", isLog: false, kappa: 1, design: designTwoWeeks },
  { name: "daily_log", isLog: true, kappa: 1, halfLifeSeasons: 10, design: designDailyOfWeek },
  { name: "logD", isLog: true, kappa: 1, design: designDaily },
  { name: "rawD", isLog: false, kappa: 1, design: designDaily },
  { name: "season_log", isLog: true, kappa: 1, windowSeasons: 4, design: designSeason },
  { name: "season_raw", isLog: false, kappa: 1, windowSeasons: 4, design: designSeason },
  { name: "year_log", isLog: true, kappa: 1, design: designYear },
  { name: "year_raw", isLog: false, kappa: 1, design: designYear },
  { name: "quarters_log", isLog: true, kappa: 1, design: designQuarters },
  { name: "two_years_log", isLog: true, kappa: 1, design: designTwoYears },
  { name: "short_log", isLog: true, kappa: 1, design: designShort },
  { name: "short_raw", isLog: false, kappa: 1, design: designShort },
];
