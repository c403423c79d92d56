import { parseArgs } from "node:util";
import { scoreCovariates } from "./quant/covariateGoals.ts";
import { findDataFolder } from "./quant/dataFolder.ts";
import { scorePrices, scoreSeries, timeGoals } from "./quant/forecastGoals.ts";
import { measureForecastHttp } from "./quant/forecastHttp.ts";
import { generatePrices, generateSeasonal } from "./quant/generatedSeries.ts";
import { type Goal, printGoals, withoutAnchors } from "./quant/goals.ts";
import { scoreIntervals } from "./quant/intervalGoals.ts";
import { readHourlyBars, readM4 } from "./quant/readData.ts";
import { scoreShortPrices, scoreShortSeries } from "./quant/shortGoals.ts";

/**
 * `npm run bench -- forecast`: accuracy and CPU time of forecasts in this process. `--http [--seconds 60]`: latency
 * over HTTP instead.
 */
const { values: options } = parseArgs({
  options: { http: { type: "boolean", default: false }, seconds: { type: "string", default: "60" } },
});

/** The pooled quantiles of prices were trained on earlier data (before 2022-06-14). */
const pricesFrom = 1_655_164_800;

function measureReference(folder: string): Goal[] {
  const hourly = scoreSeries(readM4(folder, "hourly-train"), readM4(folder, "hourly-test"), {
    interval: "HOUR_1",
    season: 24,
  });
  const weekly = scoreSeries(readM4(folder, "weekly-train"), readM4(folder, "weekly-test"), {
    interval: "WEEK_1",
    season: 1,
  });
  return [
    { name: "M4 Hourly Naive2 sMAPE", value: hourly.naive2.smape, low: 18.2235, high: 18.2245 },
    { name: "M4 Hourly Naive2 MASE", value: hourly.naive2.mase, low: 2.4315, high: 2.4325 },
    {
      name: "M4 Hourly OWA",
      value: hourly.owa,
      high: 0.362,
      anchors: "Naive2 1, ES-RNN 0.440, best entry 0.410, Chronos-Bolt 0.402, TimesFM-2.5 0.387, TiRex 0.364",
    },
    { name: "M4 Hourly sMAPE", value: hourly.smape, anchors: "ES-RNN 9.328" },
    { name: "M4 Hourly MASE", value: hourly.mase, anchors: "ES-RNN 0.893" },
    { name: "M4 Hourly MSIS", value: hourly.msis, high: 5.3, anchors: "6.14, ES-RNN 7.93, TiRex 5.45" },
    { name: "M4 Hourly coverage 95", value: hourly.coverage95, low: 0.94, high: 0.96 },
    { name: "M4 Hourly coverage 80", value: hourly.coverage80, low: 0.77, high: 0.84 },
    { name: "M4 Hourly share of last values", value: hourly.lastValueShare },
    { name: "M4 Weekly OWA", value: weekly.owa, high: 0.77, anchors: "best entry 0.739, ES-RNN 0.851" },
    { name: "M4 Weekly coverage 95", value: weekly.coverage95 },
    { name: "M4 Weekly share of last values", value: weekly.lastValueShare },
    ...scorePrices(readHourlyBars(folder), pricesFrom),
    ...scoreShortSeries(readM4(folder, "hourly-train"), readM4(folder, "hourly-test")),
    ...scoreShortPrices(readHourlyBars(folder), pricesFrom),
    ...scoreCovariates(readM4(folder, "hourly-train")),
    ...scoreIntervals(folder),
    ...timeGoals(hourly.milliseconds700),
  ];
}

/** Without reference data: generated seasonal series and random walks, without published anchors. */
function measureGenerated(): Goal[] {
  const series = generateSeasonal(60, 748);
  const split = series.map((values) => values.slice(0, 700));
  const scores = scoreSeries(
    split,
    series.map((values) => values.slice(700)),
    { interval: "HOUR_1", season: 24 },
  );
  return [
    { name: "generated: OWA", value: scores.owa, high: 1 },
    { name: "generated: coverage 95", value: scores.coverage95 },
    ...withoutAnchors(scorePrices(generatePrices(7, 9_000), 0), /last value$/),
    ...timeGoals(scores.milliseconds700),
  ];
}

const folder = findDataFolder();
process.stdout.write(
  folder === null
    ? "No reference data (QUANT_DATA, or ../shared/data beside the checkout): generated series.\n"
    : `Reference data: ${folder}\n`,
);
if (options.http) {
  const series = folder === null ? generateSeasonal(200, 700) : readM4(folder, "hourly-train");
  process.exitCode = printGoals(await measureForecastHttp(series, Number(options.seconds)));
} else {
  process.exitCode = printGoals(folder === null ? measureGenerated() : measureReference(folder));
}
