import { mean } from "../numeric/quantile.ts";
import { smoothSteps, toHeldBackStep } from "./combineByHeldBack.ts";
import type { Ensemble } from "./ensemble.ts";

/** The probabilities of the returned quantiles, in ascending order. */
export const probabilities = [0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975] as const;

/**
 * The learned half-widths of the central levels 50, 80 and 95%: coefficients of `scaleFeatures`, and for each block of
 * horizons the quantiles of error / scale on both sides.
 */
export type IntervalModel = {
  levels: { coefficients: number[]; blocks: { upTo: number; below: number; above: number }[] }[];
};

/** Minimum of a quantity as a share of the overall error, so that logarithms stay finite. */
const floor = 1e-3;
const maxLogScale = 6;

/** The inputs for the scale of the errors of one forecast; all quantities on the series' own scale. */
export type ScaleInputs = {
  /** Mean absolute held-back error by step, smoothed over adjacent steps. */
  near: Float64Array;
  overall: number;
  /** The root of the mean square of held-back errors, and the largest error, as measures of heavy tails. */
  rootMeanSquare: number;
  largest: number;
  bias: number;
  level: number;
  /** Mean absolute difference of values one season apart, by position in the season. */
  variability: Float64Array;
  /** Members' mean absolute distance from the forecast by step. */
  spread: Float64Array;
  /** The logarithm of the forecast's size / its mean size by step: low values, as at night, have small errors. */
  size: Float64Array;
};

/** Mean absolute differences of values one season apart over the last two weeks of seasons, by position. */
function seasonalVariability(series: readonly number[], season: number, known: number): Float64Array {
  const result = new Float64Array(season);
  const count = Math.min(14, Math.floor(known / season) - 1);
  for (let h = 0; h < season; h++)
    for (let k = 1; k <= count; k++) {
      const t = known + h - k * season;
      result[h]! += Math.abs(series[t]! - series[t - season]!) / count;
    }
  return result;
}

function relativeSize(path: Float64Array): Float64Array {
  const sizes = path.map(Math.abs);
  const average = mean(sizes) || 1;
  return sizes.map((size) => Math.log(Math.max(size / average, floor)));
}

function spreadAround(path: Float64Array, members: readonly { weight: number; path: Float64Array }[]): Float64Array {
  return path.map((value, h) => {
    let sum = 0;
    for (const member of members) sum += member.weight * Math.abs(member.path[h]! - value);
    return sum;
  });
}

/**
 * The inputs of the scale for an ensemble's forecast, from its held-back errors.
 *
 * @returns null without held-back errors, or when all are 0
 */
export function getScaleInputs(series: readonly number[], season: number, ensemble: Ensemble): ScaleInputs | null {
  const { actual, forecast } = ensemble.heldBack;
  const length = actual[0]?.length ?? 0;
  if (length === 0) return null;
  const absolute = new Float64Array(length);
  let [bias, squares, largest] = [0, 0, 0];
  for (const [i, values] of actual.entries())
    for (let h = 0; h < length; h++) {
      const error = values[h]! - forecast[i]![h]!;
      absolute[h]! += Math.abs(error) / actual.length;
      bias += error / actual.length / length;
      squares += error ** 2 / actual.length / length;
      largest = Math.max(largest, Math.abs(error));
    }
  const overall = mean(absolute);
  if (overall === 0) return null;
  return {
    near: smoothSteps(absolute),
    overall,
    rootMeanSquare: Math.sqrt(squares),
    largest,
    bias: Math.abs(bias),
    level: mean(series.slice(-7 * season).map(Math.abs)),
    variability: seasonalVariability(series, season, series.length),
    spread: spreadAround(ensemble.path, ensemble.members),
    size: relativeSize(ensemble.path),
  };
}

/** The regressors of log(|error| / overall error) at step `h`, counted from 0. */
export function scaleFeatures(inputs: ScaleInputs, h: number): number[] {
  const { overall, near, variability, spread } = inputs;
  const relative = (value: number) => Math.log(Math.max(value / overall, floor));
  const season = variability.length;
  const step = toHeldBackStep(h, near.length, season);
  return [
    1,
    relative(near[step]!),
    relative(mean(near.subarray(0, Math.min(season, near.length)))),
    relative(spread[h]!),
    relative(variability[h % season]!),
    relative(inputs.bias),
    Math.log(h + 1),
    relative(inputs.level),
    relative(inputs.rootMeanSquare),
    relative(inputs.largest),
    inputs.size[h]!,
  ];
}

/** The half-width before multipliers at each step: overall error times the exponential of the regression. */
export function getScale(inputs: ScaleInputs, coefficients: readonly number[], horizon: number): Float64Array {
  return Float64Array.from({ length: horizon }, (_, h) => {
    const features = scaleFeatures(inputs, h);
    let sum = 0;
    for (let i = 0; i < features.length; i++) sum += coefficients[i]! * features[i]!;
    return inputs.overall * Math.exp(Math.min(sum, maxLogScale));
  });
}

/**
 * The quantiles of a path by probability: the forecast, plus and minus multiplier times scale of each central level
 * (split conformal by blocks of horizons). A wider level is never inside of a narrower one.
 *
 * @param inputs null for errors of 0: all quantiles equal the path
 */
export function toQuantiles(path: Float64Array, inputs: ScaleInputs | null, model: IntervalModel): Float64Array[] {
  const quantiles = probabilities.map(() => path.slice());
  if (inputs === null) return quantiles;
  const middle = Math.floor(probabilities.length / 2);
  for (const [k, { coefficients, blocks }] of model.levels.entries()) {
    const scale = getScale(inputs, coefficients, path.length);
    const lower = quantiles[middle - k - 1]!;
    const upper = quantiles[middle + k + 1]!;
    const innerLower = quantiles[middle - k]!;
    const innerUpper = quantiles[middle + k]!;
    for (let h = 0; h < path.length; h++) {
      const block = blocks.find(({ upTo }) => h < upTo) ?? blocks.at(-1)!;
      lower[h] = Math.min(innerLower[h]!, path[h]! - block.below * scale[h]!);
      upper[h] = Math.max(innerUpper[h]!, path[h]! + block.above * scale[h]!);
    }
  }
  return quantiles;
}
