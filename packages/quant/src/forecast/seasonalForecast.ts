import { type Ensemble, forecastEnsemble, type HeldBack } from "./ensemble.ts";
import type { Priors } from "./forecastMembers.ts";
import { getScaleInputs, type IntervalModel, type ScaleInputs } from "./intervalScale.ts";
import type { EnsembleModel } from "./models.ts";
import { findOwnSeason } from "./ownSeason.ts";
import { fittingPeriods, getDay, type Interval, minShortSeason, type Periods, shortPeriods } from "./periods.ts";
import { areCounts, hasShortSeason, isCandidate, seasonalCorrelation, variesLikeCounts } from "./seasonalGate.ts";

/** The season of a series and whether it is a candidate for the ensemble. */
export type Season = {
  periods: Periods;
  /** The first value that is used: the days before it have another length; see `findOwnSeason`. */
  start: number;
  /** The autocorrelation of the gate; null when the season does not fit three times. */
  strength: number | null;
  isCandidate: boolean;
  /** The series has fewer than three seasons. */
  isShort: boolean;
  /** The series consists of counts and has fewer than ten seasons: its gate is lower. */
  isOfCounts: boolean;
};

/** With this number of seasons or more, the gate and the held-back origins decide about counts as about other series. */
const maxSeasonsOfCounts = 10;

/**
 * Finds the periods of a series that repeat often enough, and applies the gate.
 *
 * @param hasCounts whether the series consists of counts, if its values are scaled
 */
export function findSeason(whole: readonly number[], interval: Interval, hasCounts = areCounts(whole)): Season {
  const own = findOwnSeason(whole, getDay(interval));
  const start = own?.start ?? 0;
  const series = whole.slice(start);
  const short = shortPeriods(interval, series.length, own?.season);
  const periods = short ?? fittingPeriods(interval, series.length, own?.season);
  const { season, isYearly } = periods;
  const isOfCounts =
    hasCounts &&
    season !== null &&
    season >= minShortSeason &&
    !isYearly &&
    series.length < maxSeasonsOfCounts * season &&
    variesLikeCounts(series, season);
  if (short !== null) {
    const candidate = hasShortSeason(series, short.season, isOfCounts);
    return { periods, start, strength: null, isCandidate: candidate, isShort: true, isOfCounts };
  }
  const strength = season === null ? null : seasonalCorrelation(series, season);
  const candidate = isCandidate(strength, { isYearly, isOfCounts });
  return { periods, start, strength, isCandidate: candidate, isShort: false, isOfCounts };
}

/** Fewer seasonal differences than this share of the season measure no errors. */
const minShareOfSeason = 0.5;

/**
 * The errors of the seasonal naive forecast in a short series, which has no held-back origins; with little more than
 * one season, the steps of the series.
 */
function naiveErrors(series: readonly number[], season: number): HeldBack {
  const lag = series.length >= (1 + minShareOfSeason) * season ? season : 1;
  const actual = Float64Array.from(series.slice(lag));
  const forecast = Float64Array.from(series.slice(0, -lag));
  return { actual: [actual], forecast: [forecast], members: [], weights: [], known: [] };
}

/**
 * Forecasts a candidate by the ensemble, with the inputs for the scale of its errors.
 *
 * @param series the used values of the series
 */
export function forecastSeasonal(
  series: readonly number[],
  { periods, isShort }: Season,
  horizon: number,
  priors: Priors,
): { ensemble: Ensemble; inputs: ScaleInputs | null } | null {
  const ensemble = forecastEnsemble(series, periods, horizon, priors);
  if (ensemble === null) return null;
  const season = periods.season ?? 1;
  const measured = isShort ? { ...ensemble, heldBack: naiveErrors(series, season) } : ensemble;
  return { ensemble, inputs: getScaleInputs(series, season, measured) };
}

/** The interval model for the number of seasons in a series. */
export function chooseIntervals({ intervals, shortIntervals }: EnsembleModel, { periods }: Season, length: number) {
  const seasons = length / (periods.season ?? 1);
  const short = shortIntervals.find(({ below }) => seasons < below);
  return (short?.intervals ?? intervals) as IntervalModel;
}
