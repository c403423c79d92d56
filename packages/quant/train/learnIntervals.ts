import { seasonalNaiveScale } from "../src/accuracy/accuracy.ts";
import { forecastEnsemble } from "../src/forecast/ensemble.ts";
import type { Priors } from "../src/forecast/forecastMembers.ts";
import {
  getScale,
  getScaleInputs,
  type IntervalModel,
  type ScaleInputs,
  scaleFeatures,
} from "../src/forecast/intervalScale.ts";
import { centralLevels } from "../src/forecast/lastValue.ts";
import { fittingPeriods, type Interval } from "../src/forecast/periods.ts";
import { isCandidate, seasonalCorrelation } from "../src/forecast/seasonalGate.ts";
import { minimise } from "../src/numeric/nelderMead.ts";
import { quantileSorted, toSorted } from "../src/numeric/quantile.ts";
import { fitLeastSquares } from "./leastSquares.ts";

/** Minimum error as a share of the held-back error: smaller errors carry no information about the scale. */
const errorFloor = 0.02;
const maxEvaluations = 1_000;

/** The errors of one forecast; `end` 0 is the last held-back end of a series. */
type Case = { inputs: ScaleInputs; errors: number[]; unit: number; end: number };
type Row = { features: number[]; size: number; weight: number };

/** Forecasts of held-back ends: the last `horizon` values, and earlier blocks of that length. */
function collectCases(
  series: readonly number[][],
  { interval, horizon, ends }: { interval: Interval; horizon: number; ends: number },
  priors: Priors,
): Case[] {
  return series.flatMap((values) =>
    Array.from({ length: ends }, (_, k): Case | null => {
      const known = values.slice(0, values.length - (k + 1) * horizon);
      const periods = fittingPeriods(interval, known.length);
      const strength = periods.season === null ? null : seasonalCorrelation(known, periods.season);
      if (!isCandidate(strength, periods)) return null;
      const ensemble = forecastEnsemble(known, periods, horizon, priors);
      const inputs = ensemble && getScaleInputs(known, periods.season ?? 1, ensemble);
      if (!ensemble || !inputs) return null;
      const actual = values.slice(known.length, known.length + horizon);
      const errors = actual.map((value, h) => value - ensemble.path[h]!);
      const unit = seasonalNaiveScale(known, interval === "WEEK_1" ? 1 : (periods.season ?? 1));
      return { inputs, errors, unit, end: k };
    }).filter((each) => each !== null),
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

function toRows(cases: readonly Case[]): Row[] {
  return cases.flatMap(({ inputs, errors, unit }) =>
    errors.map((error, h): Row => {
      const size = Math.abs(error) / inputs.overall;
      return { features: scaleFeatures(inputs, h), size, weight: inputs.overall / unit };
    }),
  );
}

/** The coefficients that minimise the interval score, from a start. */
function learnCoefficients(rows: readonly Row[], start: readonly number[], level: number): number[] {
  const objective = (point: readonly number[]) => intervalScore(rows, point, level);
  const steps = start.map(() => 0.1);
  const { point } = minimise(objective, start, steps, { tolerance: 1e-6, maxEvaluations });
  return minimise(objective, point, steps, { tolerance: 1e-6, maxEvaluations }).point;
}

/** The quantiles of error / scale by block, each case scaled by the coefficients of its end. */
function learnBlocks(
  cases: readonly Case[],
  coefficients: readonly number[][],
  level: number,
  blockEnds: readonly number[],
) {
  const ratios = blockEnds.map(() => [] as number[]);
  for (const { inputs, errors, end } of cases) {
    const scale = getScale(inputs, coefficients[end]!, errors.length);
    for (const [h, error] of errors.entries()) ratios[blockEnds.findIndex((last) => h < last)]!.push(error / scale[h]!);
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
  options: { interval: Interval; horizon: number; ends: number; blockEnds: readonly number[] },
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
