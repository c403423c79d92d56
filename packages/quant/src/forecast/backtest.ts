import { coverage, seasonalNaiveScale } from "../accuracy/accuracy.ts";
import { mean } from "../numeric/quantile.ts";
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
  errorsByStep: ErrorsByStep;
};

/**
 * The mean absolute errors at each step ahead, in units of the series: of the method, of the last value, and of the
 * seasonal naive forecast; null without a season.
 */
export type ErrorsByStep = { forecast: number[]; lastValue: number[]; seasonalNaive: number[] | null };

/** The values before one origin, actual values, forecasts and quantiles. */
type Trial = { history: readonly number[]; actual: number[]; forecast: number[]; quantiles: Float64Array[] | null };

const maxLastValueOrigins = 8;
const minKnown = 24;

const round = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null);

function toErrorsByStep(trials: readonly Trial[], season: number | null): ErrorsByStep {
  const getErrors = (from: (trial: Trial, h: number) => number) =>
    trials[0]!.actual.map((_, h) => mean(trials.map((trial) => Math.abs(trial.actual[h]! - from(trial, h)))));
  const naive = (period: number) =>
    getErrors(({ history }, h) => history[history.length - period + (h % period)] ?? Number.NaN);
  return {
    forecast: getErrors(({ forecast }, h) => forecast[h]!),
    lastValue: getErrors(({ history }) => history.at(-1)!),
    seasonalNaive: season !== null && trials.every(({ history }) => history.length >= season) ? naive(season) : null,
  };
}

function summarise(trials: readonly Trial[], history: readonly number[], season: number | null): Backtest | null {
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
    mase: round(error / seasonalNaiveScale(history, season ?? 1)),
    relativeToLastValue: round(error / getError((trial) => trial.history.at(-1)!)),
    coverage80: getCoverage(1, 5),
    coverage95: getCoverage(0, 6),
    errorsByStep: toErrorsByStep(trials, season),
  };
}

/**
 * The backtest of the ensemble at its held-back origins. Weights and interval scale of an origin come from the other
 * origins, so that a single origin has no intervals to evaluate.
 */
export function backtestEnsemble(
  series: readonly number[],
  season: number | null,
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
    const history = series.slice(0, at);
    const paths = members.map(({ name, paths }, k) => ({ name, weight: weights[i]![k]!, path: paths[i]! }));
    const inputs = getScaleInputs(history, season ?? 1, {
      path: forecast[i]!,
      members: paths,
      heldBack: others,
    });
    return {
      history,
      actual: [...actual[i]!],
      forecast: [...forecast[i]!],
      quantiles: inputs && toQuantiles(forecast[i]!, inputs, model),
    };
  });
  return summarise(trials, series, season);
}

/**
 * The backtest of the last value at up to eight earlier origins, one horizon apart.
 *
 * @param season the season of the naive forecast for comparison; null without one
 */
export function backtestLastValue(
  series: readonly number[],
  horizon: number,
  model: MoveModel,
  season: number | null,
): Backtest | null {
  const trials: Trial[] = [];
  for (let k = 1; k <= maxLastValueOrigins; k++) {
    const at = series.length - k * horizon;
    if (at < minKnown) break;
    const history = series.slice(0, at);
    const last = history.at(-1)!;
    const actual = series.slice(at, at + horizon);
    const quantiles = forecastLastValue(history, horizon, model);
    trials.push({ history, actual, forecast: new Array<number>(horizon).fill(last), quantiles });
  }
  const backtest = summarise(trials, series, null);
  return backtest && { ...backtest, errorsByStep: toErrorsByStep(trials, season) };
}
