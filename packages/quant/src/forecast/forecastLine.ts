import { median } from "../numeric/quantile.ts";
import { type Backtest, backtestEnsemble, backtestLastValue } from "./backtest.ts";
import type { Ensemble } from "./ensemble.ts";
import { probabilities, toQuantiles } from "./intervalScale.ts";
import { centralLevels, forecastLastValue } from "./lastValue.ts";
import { chooseModel, type EnsembleModel, type Models, modelVersion, shippedModels } from "./models.ts";
import type { Interval } from "./periods.ts";
import { findDecimals, roundToDecimals } from "./resolution.ts";
import { chooseIntervals, findSeason, forecastSeasonal, type Season } from "./seasonalForecast.ts";
import { areCounts, isCandidate } from "./seasonalGate.ts";

export type Warning = "no_skill_over_last_value" | "short_series" | "constant_series" | "level_shift";

export type ForecastLine = {
  /** The point forecast: the median. */
  forecast: number[];
  mean: number[];
  /** By probability as text ("0.025"); in ascending order at each step. */
  quantiles: Record<string, number[]>;
  intervals: { level: number; lower: number[]; upper: number[] }[];
  model: {
    name: "ensemble" | "last_value";
    version: string;
    seasonalPeriods: number[];
    members: { name: string; weight: number }[];
  };
  diagnostics: {
    observations: number;
    used: number;
    seasonal: boolean;
    /** The autocorrelation that decides whether the series is seasonal; null when no season fits. */
    seasonalStrength: number | null;
    backtest: Backtest | null;
    warnings: Warning[];
  };
};

type Quantiles = Float64Array[];

const significantDigits = 9;
/** The share of probability that each of `probabilities` represents in the mean. */
const meanWeights = [0.0625, 0.1125, 0.2, 0.25, 0.2, 0.1125, 0.0625] as const;
/** A level counts as a shift when it leaves the range of all earlier levels by this share of the range. */
const shiftShare = 0.5;

/** Counts with fewer held-back origins get the ensemble without a comparison with the last value. */
const minOriginsOfSkill = 3;

const round = (value: number) => Number(value.toPrecision(significantDigits));

/**
 * The power of two that scales the largest value near 1: products of any finite input stay finite, and no digit is
 * lost.
 */
export function getUnit(series: readonly number[]): number {
  let largest = 0;
  for (const value of series) largest = Math.max(largest, Math.abs(value));
  return largest === 0 ? 1 : 2 ** Math.min(1_023, Math.max(-1_022, Math.floor(Math.log2(largest))));
}

/** Whether the mean of the last values is outside of the range of the means of all earlier windows of that length. */
function hasLevelShift(series: readonly number[], width: number): boolean {
  const levels: number[] = [];
  for (let end = series.length; end >= width; end -= width) levels.push(median(series.slice(end - width, end)));
  if (levels.length < 4) return false;
  const earlier = levels.slice(1);
  const low = Math.min(...earlier);
  const high = Math.max(...earlier);
  const margin = shiftShare * (high - low);
  return levels[0]! > high + margin || levels[0]! < low - margin;
}

/** Multiplies a value by the unit of its series within the range of finite numbers, and rounds it. */
export function limitAndRound(value: number, unit: number, isNonNegative: boolean): number {
  // Below the largest number by more than rounding can add.
  const limit = (Number.MAX_VALUE / unit) * (1 - 1e-7);
  return round(Math.min(Math.max(value, isNonNegative ? 0 : -limit), limit) * unit);
}

/** Converts the errors of a backtest from the scale of its series, a unit, to the original scale. */
export function scaleErrors(backtest: Backtest, unit: number): Backtest {
  const scale = (errors: readonly number[]) => errors.map((error) => limitAndRound(error, unit, true));
  const { forecast, lastValue, seasonalNaive } = backtest.errorsByStep;
  const errorsByStep = {
    forecast: scale(forecast),
    lastValue: scale(lastValue),
    seasonalNaive: seasonalNaive && scale(seasonalNaive),
  };
  return { ...backtest, errorsByStep };
}

/** The fields of an answer by its quantiles, rounded to the resolution of the series. */
export function toPaths(
  unrounded: readonly number[][],
  mean: number[],
  series: readonly number[],
): Pick<ForecastLine, "forecast" | "mean" | "quantiles" | "intervals"> {
  const decimals = findDecimals(series);
  const quantiles =
    decimals === null ? unrounded : unrounded.map((path) => path.map((value) => roundToDecimals(value, decimals)));
  return {
    forecast: quantiles[3]!,
    mean,
    quantiles: Object.fromEntries(probabilities.map((probability, k) => [String(probability), quantiles[k]!])),
    intervals: centralLevels.map((level, k) => {
      return { level: Math.round(level * 100), lower: quantiles[2 - k]!, upper: quantiles[4 + k]! };
    }),
  };
}

function createAnswer(quantiles: Quantiles, unit: number, series: readonly number[]) {
  const isNonNegative = series.every((value) => value >= 0);
  const bounded = quantiles.map((each) => Array.from(each, (value) => limitAndRound(value, unit, isNonNegative)));
  const mean = bounded[3]!.map((_, h) => {
    let sum = 0;
    for (const [k, weight] of meanWeights.entries()) sum += weight * bounded[k]![h]!;
    return round(sum);
  });
  return toPaths(bounded, mean, series);
}

function forecastCandidate(series: readonly number[], season: Season, horizon: number, model: EnsembleModel) {
  const found = forecastSeasonal(series, season, horizon, model.priors);
  if (found === null) return null;
  const { ensemble, inputs } = found;
  const intervals = chooseIntervals(model, season, series.length);
  const quantiles = toQuantiles(ensemble.path, inputs, intervals);
  // A short series has no origin whose intervals could be evaluated.
  const backtest = season.isShort ? null : backtestEnsemble(series, season.periods.season, ensemble, intervals);
  // The skill is unknown without a backtest, and one or two origins show little of it: the gate decides.
  const isUnknown = season.isShort || (season.isOfCounts && (backtest?.origins ?? 0) < minOriginsOfSkill);
  const hasSkill = isUnknown || (backtest?.relativeToLastValue ?? 1) < 1;
  return hasSkill ? { ensemble, quantiles, backtest } : null;
}

function toMembers({ members }: Ensemble) {
  return members.map(({ name, weight }) => ({ name, weight: round(weight) }));
}

/**
 * Forecasts a series: points, quantiles, intervals, and the accuracy of the same method on held-back ends. A seasonal
 * series gets the weighted ensemble, any other series its last value with intervals from the size of its moves.
 * Pure: equal input gives equal output, byte for byte.
 *
 * @param series at least 10 finite numbers, the oldest first
 * @param horizon how many values to forecast, 1 to the length of the series
 * @param models the learned models; training and tests replace the shipped ones
 * @throws RangeError when the input is outside of these limits
 */
export function forecastLine(
  series: readonly number[],
  horizon: number,
  interval: Interval,
  models: Models = shippedModels,
): ForecastLine {
  if (series.length < 10 || !series.every(Number.isFinite))
    throw new RangeError("a series needs at least 10 finite numbers");
  if (!Number.isInteger(horizon) || horizon < 1 || horizon > series.length)
    throw new RangeError(`the horizon must be an integer from 1 to the length of the series, ${series.length}`);
  const unit = getUnit(series);
  const scaled = series.map((value) => value / unit);
  const isConstant = scaled.every((value) => value === scaled[0]);
  const season = findSeason(scaled, interval, areCounts(series));
  const { periods, strength } = season;
  const model = chooseModel(models, interval);
  const used = scaled.slice(season.start);
  const seasonal = !isConstant && season.isCandidate ? forecastCandidate(used, season, horizon, model) : null;
  const hasSkill = seasonal !== null;
  const backtest = hasSkill
    ? seasonal.backtest
    : isConstant
      ? null
      : backtestLastValue(scaled, horizon, models.moves, periods.season);
  const quantiles = hasSkill ? seasonal.quantiles : forecastLastValue(scaled, horizon, models.moves);
  const warnings: Warning[] = [];
  if (isConstant) warnings.push("constant_series");
  else if (!hasSkill) warnings.push("no_skill_over_last_value");
  if (!isConstant && (periods.season === null || season.isShort || backtest === null)) warnings.push("short_series");
  if (!isConstant && hasLevelShift(scaled, periods.season ?? Math.max(1, Math.floor(scaled.length / 8))))
    warnings.push("level_shift");
  return {
    ...createAnswer(quantiles, unit, series),
    model: {
      name: hasSkill ? "ensemble" : "last_value",
      version: modelVersion,
      seasonalPeriods: hasSkill
        ? [periods.season, periods.cycle ?? periods.profileCycle].filter((period) => period !== null)
        : [],
      members: hasSkill ? toMembers(seasonal.ensemble) : [{ name: "last_value", weight: 1 }],
    },
    diagnostics: {
      observations: series.length,
      used: hasSkill ? used.length : series.length,
      seasonal: periods.isYearly ? isCandidate(strength, { isYearly: false, isOfCounts: false }) : season.isCandidate,
      seasonalStrength: strength === null ? null : round(strength),
      backtest: backtest && scaleErrors(backtest, unit),
      warnings,
    },
  };
}
