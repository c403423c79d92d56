import { coverage, mase, msis, owa, smape } from "@slipway/quant/accuracy/accuracy";
import { naive2 } from "@slipway/quant/accuracy/naive2";
import { type ForecastLine, forecastLine } from "@slipway/quant/forecast/forecastLine";
import type { Interval } from "@slipway/quant/forecast/periods";
import { percentile } from "../percentile.ts";
import type { Goal } from "./goals.ts";
import type { Bars } from "./readData.ts";

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export type Scores = {
  owa: number;
  smape: number;
  mase: number;
  naive2: { smape: number; mase: number };
  msis: number;
  coverage80: number;
  coverage95: number;
  lastValueShare: number;
  milliseconds: number[];
  milliseconds700: number[];
};

/** Forecasts the end of each series, and evaluates points against Naive2 and intervals by their coverage. */
export function scoreSeries(
  train: readonly number[][],
  test: readonly number[][],
  { interval, season }: { interval: Interval; season: number },
): Scores {
  const own: { smape: number[]; mase: number[] } = { smape: [], mase: [] };
  const reference: { smape: number[]; mase: number[] } = { smape: [], mase: [] };
  const others = { msis: [] as number[], coverage80: [] as number[], coverage95: [] as number[] };
  const milliseconds: number[] = [];
  const milliseconds700: number[] = [];
  let lastValues = 0;
  for (const [i, history] of train.entries()) {
    const actual = test[i]!;
    const startedAt = process.threadCpuUsage();
    const answer: ForecastLine = forecastLine(history.slice(-4_096), actual.length, interval);
    const used = process.threadCpuUsage(startedAt);
    milliseconds.push((used.user + used.system) / 1_000);
    if (history.length === 700) milliseconds700.push(milliseconds.at(-1)!);
    if (answer.model.name === "last_value") lastValues++;
    const simple = naive2(history, season, actual.length);
    own.smape.push(smape(actual, answer.forecast));
    own.mase.push(mase(history, actual, answer.forecast, season));
    reference.smape.push(smape(actual, simple));
    reference.mase.push(mase(history, actual, simple, season));
    others.msis.push(msis(history, actual, answer.intervals[2]!, { season, level: 0.95 }));
    others.coverage80.push(coverage(actual, answer.intervals[1]!));
    others.coverage95.push(coverage(actual, answer.intervals[2]!));
  }
  const method = { smape: average(own.smape), mase: average(own.mase) };
  const simple = { smape: average(reference.smape), mase: average(reference.mase) };
  return {
    ...method,
    owa: owa(method, simple),
    naive2: simple,
    msis: average(others.msis),
    coverage80: average(others.coverage80),
    coverage95: average(others.coverage95),
    lastValueShare: lastValues / train.length,
    milliseconds,
    milliseconds700,
  };
}

/**
 * Measures the CPU time of one forecast of 700 values and 48 ahead on this thread, without the load of other programs.
 */
export function timeGoals(milliseconds: readonly number[]): Goal[] {
  return [
    { name: "700 points, p50 ms", value: percentile(milliseconds, 0.5), high: 20, anchors: "sketch 12..17" },
    { name: "700 points, p95 ms", value: percentile(milliseconds, 0.95), high: 50, anchors: "sketch 18..25" },
  ];
}

const windowLength = 960;
const horizons = [1, 6, 24, 48];
const stride = 25;

/** Forecasts prices from windows of 960 hours after `from`; the pooled quantiles were not trained on this data. */
export function scorePrices(all: readonly Bars[], from: number): Goal[] {
  const inside80 = horizons.map(() => [] as number[]);
  const inside95 = horizons.map(() => [] as number[]);
  const [errors, lastErrors, widths]: [number[], number[], number[]] = [[], [], []];
  let ensembles = 0;
  for (const { time, close } of all) {
    const first = time.findIndex((each) => each >= from);
    for (let end = first + windowLength; end + 48 <= close.length; end += stride) {
      const answer = forecastLine(close.slice(end - windowLength, end), 48, "HOUR_1");
      if (answer.model.name === "ensemble") ensembles++;
      for (let h = 0; h < 24; h++) {
        errors.push(Math.abs(close[end + h]! - answer.forecast[h]!) / close[end - 1]!);
        lastErrors.push(Math.abs(close[end + h]! - close[end - 1]!) / close[end - 1]!);
      }
      const [, middle, wide] = answer.intervals;
      widths.push((wide!.upper[23]! - wide!.lower[23]!) / close[end - 1]!);
      for (const [k, h] of horizons.entries()) {
        const value = close[end + h - 1]!;
        inside80[k]!.push(value >= middle!.lower[h - 1]! && value <= middle!.upper[h - 1]! ? 1 : 0);
        inside95[k]!.push(value >= wide!.lower[h - 1]! && value <= wide!.upper[h - 1]! ? 1 : 0);
      }
    }
  }
  return [
    { name: "prices: windows of 960 h", value: widths.length },
    { name: "prices: windows that pass the gate", value: ensembles },
    {
      name: "prices: 24 h error / last value",
      value: average(errors) / average(lastErrors),
      // Forecasts are rounded to 9 digits.
      high: 1.000001,
      anchors: "theta 0.99..1.00, ungated 1.24",
    },
    ...horizons.flatMap((h, k): Goal[] => [
      {
        name: `prices: coverage 95, h = ${h}`,
        value: average(inside95[k]!),
        low: 0.94,
        high: 0.96,
        anchors: "Gaussian 0.92..0.94",
      },
      { name: `prices: coverage 80, h = ${h}`, value: average(inside80[k]!), low: 0.78, high: 0.82 },
    ]),
    { name: "prices: mean width of 95% at 24 h", value: average(widths), high: 0.195 },
  ];
}
