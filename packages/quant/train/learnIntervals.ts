import { seasonalNaiveScale } from "../src/accuracy/accuracy.ts";
import type { Priors } from "../src/forecast/forecastMembers.ts";
import { getScale, type IntervalModel, type ScaleInputs, scaleFeatures } from "../src/forecast/intervalScale.ts";
import { centralLevels } from "../src/forecast/lastValue.ts";
import { getDay, type Interval } from "../src/forecast/periods.ts";
import { getResolution } from "../src/forecast/resolution.ts";
import { findSeason, forecastSeasonal } from "../src/forecast/seasonalForecast.ts";
import { minimise } from "../src/numeric/nelderMead.ts";
import { quantileSorted, toSorted } from "../src/numeric/quantile.ts";
import { fitLeastSquares } from "./leastSquares.ts";

/** Minimum error as a share of the held-back error: smaller errors carry no information about the scale. */
const errorFloor = 0.02;
const maxEvaluations = 1_000;
const maxRows = 30_000;

/** The errors of one forecast; `end` 0 is the last held-back end of a series, `half` is half of its resolution. */
type Case = { inputs: ScaleInputs; errors: number[]; unit: number; end: number; half: number };
type Row = { features: number[]; size: number; weight: number };

type Options = {
  interval: Interval;
  horizon: number;
  ends: number;
  /** The numbers of values before each end; null for all. */
  lengths: readonly (number | null)[];
};

/** Forecasts of held-back ends: the last `horizon` values, and earlier blocks of that length. */
function collectCases(
  series: readonly number[][],
  { interval, horizon, ends, lengths }: Options,
  priors: Priors,
): Case[] {
  const collect = (values: readonly number[], k: number, length: number | null): Case[] => {
    const end = values.length - (k + 1) * horizon;
    const known = values.slice(length === null ? 0 : Math.max(0, end - length), end);
    const steps = Math.min(horizon, known.length);
    const season = findSeason(known, interval);
    const found = season.isCandidate ? forecastSeasonal(known.slice(season.start), season, steps, priors) : null;
    if (found === null || found.inputs === null) return [];
    const { ensemble, inputs } = found;
    const errors = values.slice(end, end + steps).map((value, h) => value - ensemble.path[h]!);
    // The benchmark's unit: the errors of the interval's season, also in series with a season of their own.
    const period = interval === "WEEK_1" ? 1 : (getDay(interval) ?? season.periods.season ?? 1);
    const unit = seasonalNaiveScale(values.slice(0, end), period);
    return [{ inputs, errors, unit, end: k, half: getResolution(values) / 2 }];
  };
  return series.flatMap((values) =>
    Array.from({ length: ends }, (_, k) => lengths.flatMap((length) => collect(values, k, length))).flat(),
  );
}

/** The interval score of symmetric intervals (Gneiting & Raftery 2007) in units of each series. */
function intervalScore(rows: readonly Row[], coefficients: readonly number[], level: number): number {
  const penalty = 2 / (1 - level);
  let sum = 0;
  for (const { features, size, weight } of rows) {
    let log = 0;
    for (let i = 0; i < features.length; i++) log += coefficients[i]! * features[i]!;
    const half = Math.exp(log);
    sum += weight * (2 * half + penalty * Math.max(0, size - half));
  }
  return sum / rows.length;
}

/** One row for each step; with more rows than `maxRows`, every k-th of them, so that training takes minutes. */
function toRows(cases: readonly Case[]): Row[] {
  const rows = cases.flatMap(({ inputs, errors, unit }) =>
    errors.map((error, h): Row => {
      const size = Math.abs(error) / inputs.overall;
      return { features: scaleFeatures(inputs, h), size, weight: inputs.overall / unit };
    }),
  );
  const stride = Math.ceil(rows.length / maxRows);
  return rows.filter((_, i) => i % stride === 0);
}

/** The coefficients that minimise the interval score, from a start. */
function learnCoefficients(rows: readonly Row[], start: readonly number[], level: number): number[] {
  const objective = (point: readonly number[]) => intervalScore(rows, point, level);
  const steps = start.map(() => 0.1);
  const { point } = minimise(objective, start, steps, { tolerance: 1e-6, maxEvaluations });
  return minimise(objective, point, steps, { tolerance: 1e-6, maxEvaluations }).point;
}

/**
 * The quantiles of error / scale by block, each case scaled by the coefficients of its end. Half of the resolution is
 * subtracted from errors: rounded quantiles contain a value if the unrounded ones are at most so far away from it.
 */
function learnBlocks(
  cases: readonly Case[],
  coefficients: readonly number[][],
  level: number,
  blockEnds: readonly number[],
) {
  const ratios = blockEnds.map(() => [] as number[]);
  for (const { inputs, errors, end, half } of cases) {
    const scale = getScale(inputs, coefficients[end]!, errors.length);
    for (const [h, error] of errors.entries()) {
      const outside = Math.sign(error) * Math.max(0, Math.abs(error) - half);
      ratios[blockEnds.findIndex((last) => h < last)]!.push(outside / scale[h]!);
    }
  }
  return ratios.map((each, k) => {
    const sorted = toSorted(each);
    const below = Math.max(0, -quantileSorted(sorted, (1 - level) / 2));
    return { upTo: blockEnds[k]!, below, above: Math.max(0, quantileSorted(sorted, (1 + level) / 2)) };
  });
}

/**
 * Learns the half-widths of central intervals: coefficients that minimise the interval score of each level, then the
 * quantiles of error / scale by block of horizons (split conformal prediction, Romano et al. 2019). The quantiles of an
 * end use coefficients learned on the other ends; otherwise intervals would be too narrow for new data.
 */
export function learnIntervals(
  series: readonly number[][],
  options: Options & { blockEnds: readonly number[] },
  priors: Priors,
): IntervalModel {
  const cases = collectCases(series, options, priors);
  const rows = toRows(cases);
  const start = fitLeastSquares(
    rows.map(({ features }) => features),
    rows.map(({ size }) => Math.log(Math.max(size, errorFloor))),
  );
  const levels = centralLevels.map((level) => {
    // Starts from the geometric mean size of errors, scaled approximately to the level.
    const first = start.map((value, i) => (i === 0 ? value + Math.log(1 + 3 * level ** 4) : value));
    const coefficients = learnCoefficients(rows, first, level);
    const byEnd = Array.from({ length: options.ends }, (_, end) => {
      const others = cases.filter((each) => each.end !== end);
      return others.length > 0 ? learnCoefficients(toRows(others), coefficients, level) : coefficients;
    });
    return { coefficients, blocks: learnBlocks(cases, byEnd, level, options.blockEnds) };
  });
  return { levels };
}
