import { type ForecastLine, forecastLine } from "@slipway/quant/forecast/forecastLine";
import { type CovariateUse, forecastWithCovariates } from "@slipway/quant/forecast/forecastWithCovariates";
import type { Interval } from "@slipway/quant/forecast/periods";

/** A series to forecast. */
export type ForecastTask = {
  series: readonly number[];
  horizon: number;
  interval: Interval;
  /** Covariates with a value for each value of the series and of the forecast. */
  covariates?: readonly (readonly number[])[] | undefined;
};

/** A forecast; `covariates` is null for a task without covariates. */
export type SeriesForecast = ForecastLine & { covariates: CovariateUse | null };

/** Forecasts one series; the pool calls it on a separate thread. */
export function forecastSeries({ series, horizon, interval, covariates }: ForecastTask): SeriesForecast {
  return covariates === undefined
    ? { ...forecastLine(series, horizon, interval), covariates: null }
    : forecastWithCovariates(series, horizon, interval, covariates);
}

/** Resolves when the thread has loaded its program. */
export function start(): void {
  // Empty: the imports above load the program.
}
