import { type ArMember, arMembers } from "./arDesigns.ts";
import { forecastDoubleSeasonal } from "./doubleSeasonal.ts";
import { forecastDrift } from "./drift.ts";
import { forecastHarmonics } from "./harmonics.ts";
import {
  type ArPrior,
  accumulateGrams,
  buildRows,
  firstRow,
  forecastAr,
  robustWeights,
  scaleGram,
  solveGram,
} from "./hierarchicalAr.ts";
import { forecastMovingAverage, isMovingAverage, minDaysOfAverages } from "./movingAverage.ts";
import { minSeasons, type Periods } from "./periods.ts";
import { forecastPooledProfile } from "./pooledProfile.ts";
import { forecastProfileAr } from "./profileAr.ts";
import { forecastSeasonalMean, forecastSeasonalShift } from "./seasonalMean.ts";
import { addChanges, standardise, type Transformed, takeChanges } from "./transform.ts";
import { forecastWeeklyProfile } from "./weeklyProfile.ts";

/** An origin of forecasts: the number of known values, and the number of values to forecast. */
export type Origin = { known: number; horizon: number };
/** A member's forecasts at each origin, on the series' own scale. */
export type MemberPaths = { name: string; paths: Float64Array[] };
export type Priors = Readonly<Record<string, ArPrior>>;

const robustRounds = 3;
/** The weight of a value halves with every 3.5 seasons of age. */
const halfLifeSeasons = 3.5;
const halfLifeWeeks = 78;
/** From this number of seasons on, pooled profiles, harmonics and drift are members; chosen on held-back ends. */
const severalSeasons = 5;
/** From this number of seasons on, repetitions of the season are no members. */
const manySeasons = 7;

/** The autocorrelations from day to day in the two models of moving averages; chosen on held-back ends. */
const persistences = [0, 0.4];

/** Forecasts the values after a history. */
type ForecastPath = (known: Float64Array, horizon: number) => Float64Array;
/** Older days of a series with a day and a week are not used: they hardly change a forecast, but take CPU time. */
const maxDays = 112;

type Scales = { log: Transformed | null; raw: Transformed };

function runRegression(member: ArMember, scales: Scales, periods: Periods, origins: readonly Origin[], priors: Priors) {
  const scale = member.isLog ? scales.log : scales.raw;
  const design = member.design(periods);
  const prior = priors[member.name];
  if (scale === null || design === null || prior === undefined) return null;
  const fewest = Math.min(...origins.map(({ known }) => known));
  if (fewest <= firstRow(design) + Math.max(design.season, design.lags.length)) return null;
  const changes = member.isOfChanges ? takeChanges(scale) : null;
  const { values, lower, upper } = changes ?? scale;
  const rows = buildRows(values, design);
  const { kappa } = member;
  const { weights, variance } = robustWeights(values, rows, design, prior, { kappa, rounds: robustRounds });
  const halfLife = periods.isYearly
    ? halfLifeWeeks
    : (member.halfLifeSeasons ?? halfLifeSeasons) * (periods.season ?? design.season);
  for (let i = 0; i < weights.length; i++) weights[i]! *= 2 ** ((i - weights.length) / halfLife);
  const cuts = origins.map(({ known }) => known);
  const paths = accumulateGrams(values, rows, weights, design, cuts).map((sums, i) => {
    // Rescales the weight of the latest value before the origin to 1.
    const gram = scaleGram(sums, 2 ** ((values.length - cuts[i]!) / halfLife));
    const fit = solveGram(gram, prior, variance, kappa);
    const path = forecastAr({ values, lower, upper }, design, fit, cuts[i]!, origins[i]!.horizon);
    const restored = changes ? addChanges(scale.values[cuts[i]! - 1]!, path, changes.size) : path;
    return restored.map(scale.toOriginal);
  });
  return { name: member.name, paths };
}

/**
 * The forecasts of all applicable members of the ensemble, at each origin. Standardisation and robust weights use all
 * values up to the end; coefficients and profiles of an origin use the values before it only.
 *
 * @param wholeOrigins in ascending order of `known`, the last one being the end of the series
 */
export function forecastMembers(
  whole: readonly number[],
  periods: Periods,
  wholeOrigins: readonly Origin[],
  priors: Priors,
): MemberPaths[] {
  const unused =
    periods.season === null || periods.cycle === null ? 0 : Math.max(0, whole.length - maxDays * periods.season);
  const series = whole.slice(unused);
  const origins = wholeOrigins.map(({ known, horizon }) => ({ known: known - unused, horizon }));
  const isPositive = series.every((value) => value > 0);
  const raw = standardise(series, false);
  const scales: Scales = { log: isPositive ? standardise(series, true) : null, raw };
  const members = arMembers.flatMap((member) => runRegression(member, scales, periods, origins, priors) ?? []);
  const { season: day, cycle } = periods;
  if (day === null) return members;
  const week = cycle ?? day;
  const { values, toOriginal } = scales.log ?? raw;
  const runOn = (scale: Transformed, name: string, forecast: ForecastPath) => {
    const paths = origins.map(({ known, horizon }) =>
      forecast(scale.values.subarray(0, known), horizon).map(scale.toOriginal),
    );
    return { name, paths };
  };
  const run = (name: string, forecast: ForecastPath) => runOn(scales.log ?? raw, name, forecast);
  const short = [
    run("seasonal_shift", (known, horizon) => forecastSeasonalShift(known, day, horizon)),
    run("seasonal_mean", (known, horizon) => forecastSeasonalMean(known, day, { seasons: 4, horizon })),
  ];
  if (series.length < minSeasons * day) return [...members, ...short];
  const pooledWeek = periods.profileCycle ?? day;
  const pool =
    (halfLifeDays: number, isSmooth = false) =>
    (known: Float64Array, steps: number) =>
      forecastPooledProfile(known, { day, week: pooledWeek, halfLifeDays, isSmooth }, steps);
  const profiles = () => [
    ...(scales.log ? [run("pooled_log", pool(14))] : []),
    run("pooled_smooth", pool(14, true)),
    run("pooled_slow", pool(60)),
    runOn(raw, "pooled_raw", pool(14)),
    {
      name: "harmonics",
      paths: forecastHarmonics(values, { day, week }, origins).map((path) => path.map(toOriginal)),
    },
    runOn(raw, "drift", (known, steps) => forecastDrift(known, day, steps)),
  ];
  const hasAverages =
    cycle !== null && origins[0]!.known >= minDaysOfAverages * day && isMovingAverage(raw.values, day);
  const averages = (persistence: number) => (known: Float64Array, steps: number) =>
    forecastMovingAverage(known, { day, persistence }, steps);
  return [
    ...members,
    ...(hasAverages ? persistences.map((each) => runOn(raw, `moving_average_${each}`, averages(each))) : []),
    ...(series.length < severalSeasons * day || periods.isYearly ? [] : profiles()),
    ...(series.length < manySeasons * day && !periods.isYearly ? short : []),
    run("profile_ar", (known, horizon) => forecastProfileAr(known, { day, week }, horizon)),
    run("profile_median", (known, horizon) => forecastWeeklyProfile(known, week, horizon)),
    run("double_seasonal", (known, horizon) => forecastDoubleSeasonal(known, { day, week }, horizon)),
  ];
}
