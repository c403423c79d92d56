import { type ForecastLine, forecastLine } from "@slipway/quant/forecast/forecastLine";
import type { Interval } from "@slipway/quant/forecast/periods";

/** A series to forecast. */
export type ForecastTask = { series: readonly number[]; horizon: number; interval: Interval };

/** Forecasts one series; the pool calls it on a separate thread. */
export function forecastSeries({ series, horizon, interval }: ForecastTask): ForecastLine {
  return forecastLine(series, horizon, interval);
}

/** Resolves when the thread has loaded its program. */
export function start(): void {
  // Empty: the imports above load the program.
}
