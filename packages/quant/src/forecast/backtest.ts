import { coverage, seasonalNaiveScale } from "../accuracy/accuracy.ts";
import type { Ensemble } from "./ensemble.ts";
import { getScaleInputs, type IntervalModel, toQuantiles } from "./intervalScale.ts";
import type { MoveModel } from "./lastValue.ts";
import { forecastLastValue } from "./lastValue.ts";

/**
 * The accuracy of the method at earlier origins of the same series, each forecast without the data after its origin.
 */
export type Backtest = {
  origins: number;
  mase: number | null;
  relativeToLastValue: number | null;
  coverage80: number | null;
  coverage95: number | null;
};

/** Actual values, forecasts, quantiles and the last known value of one origin. */
type Trial = { last: number; actual: number[]; forecast: number[]; quantiles: Float64Array[] | null };

const maxLastValueOrigins = 8;
const minKnown = 24;

const round = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null);

function summarise(trials: readonly Trial[], history: readonly number[], season: number): Backtest | null {
  if (trials.length === 0) return null;
  const getError = (from: (trial: Trial, h: number) => number) => {
    let sum = 0;
    let count = 0;
    for (const trial of trials)
      for (const [h, value] of trial.actual.entries()) {
        sum += Math.abs(value - from(trial, h));
        count++;
      }
    return sum / count;
  };
  const error = getError((trial, h) => trial.forecast[h]!);
  const getCoverage = (low: number, high: number) => {
    const judged = trials.flatMap(({ actual, quantiles }) =>
      quantiles === null ? [] : coverage(actual, { lower: [...quantiles[low]!], upper: [...quantiles[high]!] }),
    );
    return judged.length === 0 ? null : round(judged.reduce((sum, each) => sum + each, 0) / judged.length);
  };
  return {
    origins: trials.length,
    mase: round(error / seasonalNaiveScale(history, season)),
    relativeToLastValue: round(error / getError((trial) => trial.last)),
    coverage80: getCoverage(1, 5),
    coverage95: getCoverage(0, 6),
  };
}

/**
 * The backtest of the ensemble at its held-back origins. Weights and interval scale of an origin come from the other
 * origins, so that a single origin has no intervals to evaluate.
 */
export function backtestEnsemble(
  series: readonly number[],
  season: number,
  { heldBack }: Ensemble,
  model: IntervalModel,
): Backtest | null {
  const { actual, forecast, members, weights, known } = heldBack;
  const trials = known.map((at, i): Trial => {
    const others = {
      ...heldBack,
      actual: actual.filter((_, k) => k !== i),
      forecast: forecast.filter((_, k) => k !== i),
    };
    const paths = members.map(({ name, paths }, k) => ({ name, weight: weights[i]![k]!, path: paths[i]! }));
    const inputs = getScaleInputs(series.slice(0, at), season, {
      path: forecast[i]!,
      members: paths,
      heldBack: others,
    });
    return {
      last: series[at - 1]!,
      actual: [...actual[i]!],
      forecast: [...forecast[i]!],
      quantiles: inputs && toQuantiles(forecast[i]!, inputs, model),
    };
  });
  return summarise(trials, series, season);
}

/** The backtest of the last value at up to eight earlier origins, one horizon apart. */
export function backtestLastValue(series: readonly number[], horizon: number, model: MoveModel): Backtest | null {
  const trials: Trial[] = [];
  for (let k = 1; k <= maxLastValueOrigins; k++) {
    const at = series.length - k * horizon;
    if (at < minKnown) break;
    const history = series.slice(0, at);
    const last = history.at(-1)!;
    const actual = series.slice(at, at + horizon);
    const quantiles = forecastLastValue(history, horizon, model);
    trials.push({ last, actual, forecast: new Array<number>(horizon).fill(last), quantiles });
  }
  return summarise(trials, series, 1);
}
