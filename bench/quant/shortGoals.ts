import { coverage, mase, owa, smape } from "@slipway/quant/accuracy/accuracy";
import { naive2 } from "@slipway/quant/accuracy/naive2";
import { forecastLine } from "@slipway/quant/forecast/forecastLine";
import type { Goal } from "./goals.ts";
import type { Bars } from "./readData.ts";

const lengths = [24, 30, 36, 48, 60, 72, 90, 120, 168, 240, 336];
const season = 24;
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const priceLengths = [24, 36, 48, 60];
const priceHorizon = 24;
const priceStride = 97;

/** Forecasts prices after `from` from 24 to 60 hours, which the gate can mistake for a season. */
export function scoreShortPrices(all: readonly Bars[], from: number): Goal[] {
  return priceLengths.flatMap((length): Goal[] => {
    const [errors, lastErrors, inside]: [number[], number[], number[]] = [[], [], []];
    let ensembles = 0;
    for (const { time, close } of all) {
      const first = time.findIndex((each) => each >= from);
      for (let end = first + length; end + priceHorizon <= close.length; end += priceStride) {
        const last = close[end - 1]!;
        const actual = close.slice(end, end + priceHorizon);
        const { forecast, intervals, model } = forecastLine(close.slice(end - length, end), priceHorizon, "HOUR_1");
        if (model.name === "ensemble") ensembles++;
        errors.push(average(actual.map((value, h) => Math.abs(value - forecast[h]!) / last)));
        lastErrors.push(average(actual.map((value) => Math.abs(value - last) / last)));
        inside.push(coverage(actual, intervals[2]!));
      }
    }
    const name = `prices, last ${length} hours`;
    return [
      { name: `${name}: share that passes the gate`, value: ensembles / errors.length, high: 0.05 },
      { name: `${name}: error / last value`, value: average(errors) / average(lastErrors), high: 1.025 },
      { name: `${name}: coverage 95`, value: average(inside), low: 0.9 },
    ];
  });
}

/** Forecasts the test parts from the last 24 to 336 hours of the training parts, beside the seasonal naive forecast. */
export function scoreShortSeries(train: readonly number[][], test: readonly number[][]): Goal[] {
  return lengths.flatMap((length): Goal[] => {
    const scores = { own: [] as number[][], naive: [] as number[][], simple: [] as number[][], inside: [] as number[] };
    for (const [i, whole] of train.entries()) {
      const known = whole.slice(-length);
      const actual = test[i]!.slice(0, length);
      const { forecast, intervals } = forecastLine(known, actual.length, "HOUR_1");
      const repeated = actual.map((_, h) => known[length - season + (h % season)]!);
      const simple = naive2(known, season, actual.length);
      for (const [list, path] of [
        [scores.own, forecast],
        [scores.naive, repeated],
        [scores.simple, simple],
      ] as const)
        list.push([smape(actual, path), mase(whole, actual, path, season)]);
      scores.inside.push(coverage(actual, intervals[2]!));
    }
    const mean = (list: readonly number[][]) => {
      return { smape: average(list.map(([percent]) => percent!)), mase: average(list.map(([, scaled]) => scaled!)) };
    };
    const own = mean(scores.own);
    return [
      {
        name: `last ${length} hours: OWA`,
        value: owa(own, mean(scores.simple)),
        ...(length === 90 && { high: 0.6 }),
      },
      { name: `last ${length} hours: error / seasonal naive`, value: owa(own, mean(scores.naive)), high: 1.01 },
      { name: `last ${length} hours: coverage 95`, value: average(scores.inside), low: 0.92 },
    ];
  });
}
