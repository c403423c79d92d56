import { type ForecastLine, forecastLine, getUnit, limitAndRound, scaleErrors, toPaths } from "./forecastLine.ts";
import { probabilities } from "./intervalScale.ts";
import { estimateCovariateEffect } from "./knownFuture.ts";
import type { Interval } from "./periods.ts";
import { findSeason } from "./seasonalForecast.ts";
import { areCounts } from "./seasonalGate.ts";

/** Whether covariates changed a forecast. */
export type CovariateUse = {
  used: boolean;
  /** Mean absolute one-step error with the covariates / without them on excluded values; null if they are not used. */
  relativeError: number | null;
};

/**
 * Forecasts a series with covariates whose future values are known: removes their linear effect, forecasts the
 * remainder, and adds the effect of the future values. Covariates without a measurable effect are ignored. The backtest
 * describes the forecast of the remainder.
 *
 * @param covariates each with one finite value for each value of the series and of the forecast
 * @throws RangeError when the input is outside of these limits, or outside of the limits of `forecastLine`
 */
export function forecastWithCovariates(
  series: readonly number[],
  horizon: number,
  interval: Interval,
  covariates: readonly (readonly number[])[],
): ForecastLine & { covariates: CovariateUse } {
  const length = series.length + horizon;
  if (!covariates.every((values) => values.length === length && values.every(Number.isFinite)))
    throw new RangeError(`each covariate needs ${length} finite numbers: one for each value of series and forecast`);
  if (!series.every(Number.isFinite)) throw new RangeError("a series needs finite numbers");
  const unit = getUnit(series);
  const scaled = series.map((value) => value / unit);
  const { periods, isCandidate, isShort } = findSeason(scaled, interval, areCounts(series));
  const estimate = estimateCovariateEffect(scaled, covariates, isCandidate && !isShort ? periods.season : null);
  const remainder = estimate && scaled.map((value, t) => remove(value, estimate.effect[t]!, estimate.isLog));
  // Extreme values can leave the range of numbers.
  if (estimate === null || remainder === null || !remainder.every(Number.isFinite))
    return { ...forecastLine(series, horizon, interval), covariates: { used: false, relativeError: null } };
  const line = forecastLine(remainder, horizon, interval);
  const { backtest } = line.diagnostics;
  const isNonNegative = series.every((value) => value >= 0);
  const restore = (values: readonly number[]) =>
    values.map((value, h) => {
      const effect = estimate.effect[series.length + h]!;
      return limitAndRound(estimate.isLog ? value * Math.exp(effect) : value + effect, unit, isNonNegative);
    });
  const quantiles = probabilities.map((probability) => restore(line.quantiles[String(probability)]!));
  return {
    ...line,
    diagnostics: { ...line.diagnostics, backtest: backtest && scaleErrors(backtest, unit) },
    ...toPaths(quantiles, restore(line.mean), series),
    covariates: { used: true, relativeError: Number(estimate.relativeError.toPrecision(6)) },
  };
}

function remove(value: number, effect: number, isLog: boolean): number {
  return isLog ? value * Math.exp(-effect) : value - effect;
}
