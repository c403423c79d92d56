import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { coverage, mase, owa, smape } from "@slipway/quant/accuracy/accuracy";
import { accuracyByInterval, type MeasuredAccuracy } from "@slipway/quant/accuracy/measuredAccuracy";
import { naive2 } from "@slipway/quant/accuracy/naive2";
import { forecastLine } from "@slipway/quant/forecast/forecastLine";
import type { Interval } from "@slipway/quant/forecast/periods";
import type { Goal } from "./goals.ts";
import { readM4 } from "./readData.ts";

/** Values before an end, and the values after it. */
type Case = { known: number[]; actual: number[] };
type Data = { data: string; cases: Case[]; season: number; isPrice: boolean };

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Deviations of the shipped numbers that rounding explains. */
const tolerance = 0.002;
const maxKnown = 960;

/** Means of `size` consecutive values, aligned to the end. */
function averageBlocks(values: readonly number[], size: number): number[] {
  const count = Math.floor(values.length / size);
  const start = values.length - count * size;
  return Array.from({ length: count }, (_, k) => average(values.slice(start + k * size, start + (k + 1) * size)));
}

/** Windows of one series, `stride` apart. */
function cutWindows(values: readonly number[], { horizon, stride }: { horizon: number; stride: number }): Case[] {
  const length = Math.min(maxKnown, Math.floor(values.length / 2));
  const cases: Case[] = [];
  for (let end = length; end + horizon <= values.length; end += stride) {
    cases.push({ known: values.slice(end - length, end), actual: values.slice(end, end + horizon) });
  }
  return cases;
}

function readColumn(folder: string, path: string, name: string): { group: string; value: number }[] {
  const [header, ...rows] = gunzipSync(readFileSync(join(folder, path)))
    .toString("utf8")
    .trim()
    .split("\n");
  const column = header!.split(",").indexOf(name);
  return rows.map((row) => {
    const cells = row.split(",");
    return { group: cells[0]!, value: Number(cells[column]) };
  });
}

/** Minutes of two markets, sampled every `minutes`. */
function minutePrices(folder: string, minutes: number): Case[] {
  const exchange = readColumn(folder, "crypto/BTC_USDT-1m.csv.gz", "close").map(({ value }) => value);
  const pool = readColumn(folder, "uniswap-v3/polygon-usdc-weth-500-2022.minute.csv.gz", "closeTick").map(
    ({ value }) => 1.0001 ** (value - 200_000),
  );
  return [exchange, pool].flatMap((values) =>
    cutWindows(
      values.filter((_, t) => t % minutes === minutes - 1),
      { horizon: 48, stride: minutes === 1 ? 97 : 25 },
    ),
  );
}

function dailyPrices(folder: string): Case[] {
  const rows = readColumn(folder, "crypto/bybit-1d.csv.gz", "close");
  return [...Map.groupBy(rows, ({ group }) => group).values()].flatMap((group) =>
    cutWindows(
      group.map(({ value }) => value),
      { horizon: 14, stride: 14 },
    ),
  );
}

/** The data by interval. */
function readIntervals(folder: string): Partial<Record<Interval, Data>> {
  const train = readM4(folder, "hourly-train");
  const weeks = readM4(folder, "weekly-test");
  const hours = readM4(folder, "hourly-test");
  const prices = (minutes: number): Data => {
    return { data: "minutes of two markets", cases: minutePrices(folder, minutes), season: 1, isPrice: true };
  };
  const averages = (size: number, season: number): Data => {
    const cases = train.map((values, i) => {
      return { known: averageBlocks(values, size), actual: averageBlocks(hours[i]!, size) };
    });
    return { data: `averages of ${size} hours of M4 Hourly`, cases, season, isPrice: false };
  };
  const published = (name: "hourly" | "weekly", tests: number[][], season: number): Data => {
    const cases = readM4(folder, `${name}-train`).map((known, i) => ({
      known: known.slice(-4_096),
      actual: tests[i]!,
    }));
    return { data: `half of M4 ${name === "hourly" ? "Hourly" : "Weekly"}`, cases, season, isPrice: false };
  };
  return {
    MINUTE_1: prices(1),
    MINUTE_5: prices(5),
    MINUTE_15: prices(15),
    MINUTE_30: prices(30),
    HOUR_1: published("hourly", hours, 24),
    HOUR_4: averages(4, 6),
    HOUR_12: averages(12, 14),
    DAY_1: { data: "days of 16 markets", cases: dailyPrices(folder), season: 1, isPrice: true },
    WEEK_1: published("weekly", weeks, 1),
  };
}

function measure(interval: Interval, { data, cases, season, isPrice }: Data): MeasuredAccuracy {
  const own = { smape: [] as number[], mase: [] as number[] };
  const simple = { smape: [] as number[], mase: [] as number[] };
  const [inside, errors, lastErrors]: [number[], number[], number[]] = [[], [], []];
  for (const { known, actual } of cases) {
    const { forecast, intervals } = forecastLine(known, actual.length, interval);
    const unit = average(known.map(Math.abs));
    inside.push(coverage(actual, intervals[2]!));
    errors.push(average(actual.map((value, h) => Math.abs(value - forecast[h]!))) / unit);
    lastErrors.push(average(actual.map((value) => Math.abs(value - known.at(-1)!))) / unit);
    if (isPrice) continue;
    const reference = naive2(known, season, actual.length);
    own.smape.push(smape(actual, forecast));
    own.mase.push(mase(known, actual, forecast, season));
    simple.smape.push(smape(actual, reference));
    simple.mase.push(mase(known, actual, reference, season));
  }
  const mean = ({ smape: percent, mase: scaled }: typeof own) => ({ smape: average(percent), mase: average(scaled) });
  return {
    data,
    forecasts: cases.length,
    owa: isPrice ? null : owa(mean(own), mean(simple)),
    relativeToLastValue: average(errors) / average(lastErrors),
    coverage95: average(inside),
  };
}

/** Measures each interval with data, and compares the result with the numbers that the service publishes. */
export function scoreIntervals(folder: string): Goal[] {
  const near = (value: number | null | undefined) =>
    value === null || value === undefined ? {} : { low: value - tolerance, high: value + tolerance };
  return Object.entries(readIntervals(folder)).flatMap(([name, data]): Goal[] => {
    const interval = name as Interval;
    const found = measure(interval, data);
    const { measured } = accuracyByInterval[interval];
    const goal = (what: string, value: number | null, shipped: number | null | undefined): Goal[] =>
      value === null ? [] : [{ name: `${interval}: ${what}`, value, ...near(shipped) }];
    return [
      {
        name: `${interval}: forecasts (${data.data})`,
        value: found.forecasts,
        ...near(measured?.forecasts ?? Number.NaN),
      },
      ...goal("OWA", found.owa, measured?.owa),
      ...goal("error / last value", found.relativeToLastValue, measured?.relativeToLastValue),
      ...goal("coverage 95", found.coverage95, measured?.coverage95),
    ];
  });
}
