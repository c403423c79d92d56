import { adaptTails, forecastRisk, type RiskForecast, startTails, type Tails } from "./adaptiveTails.ts";
import { type SortedResiduals, sortResiduals } from "./filteredHistoricalSimulation.ts";

/** The forecast for one day, and its outcome. */
export type RiskDay = {
  /** The index of the day in the returns; the last entry is the coming day, with return NaN. */
  day: number;
  return: number;
  /** The probabilities that the forecast used. */
  tails: Tails;
  forecast: RiskForecast;
};

/** A stored forecast, which is used unchanged. */
export type KnownRisk = Pick<RiskDay, "tails" | "forecast">;

/** The days of residuals of the simulation. */
const windowDays = 500;
/** The days of returns before the first estimate. */
export const minDays = 300;

/** Daily returns, each divided by its forecast volatility. */
export const toResiduals = (returns: Float64Array, variance: Float64Array): Float64Array =>
  returns.map((value, t) => value / Math.sqrt(variance[t]!));

/** The residuals before a day, sorted; null without residuals. */
export function sortKnownResiduals(residuals: Float64Array, day: number): SortedResiduals | null {
  let first = Math.max(0, day - windowDays);
  while (first < day && !Number.isFinite(residuals[first]!)) first++;
  const known = residuals.subarray(first, day).every(Number.isFinite)
    ? residuals.subarray(first, day)
    : residuals.subarray(first, day).filter(Number.isFinite);
  return known.length === 0 ? null : sortResiduals(known);
}

/**
 * Value at risk and expected shortfall of each day from the residuals before it (filtered historical simulation), from
 * the 300th day of returns on, with levels that adapt to the outcomes.
 *
 * @param returns daily log returns
 * @param variance one-day-ahead forecasts, one longer than the returns; NaN before the first
 * @param known stored forecasts by day
 */
export function computeValueAtRiskPath(
  returns: Float64Array,
  variance: Float64Array,
  known: ReadonlyMap<number, KnownRisk> = new Map(),
): RiskDay[] {
  const residuals = toResiduals(returns, variance);
  const result: RiskDay[] = [];
  let tails = startTails();
  for (let day = minDays; day <= returns.length; day++) {
    const stored = known.get(day);
    if (stored) tails = stored.tails;
    const sorted = stored ? null : sortKnownResiduals(residuals, day);
    const forecast = stored?.forecast ?? (sorted && forecastRisk(sorted, Math.sqrt(variance[day]!), tails));
    if (forecast === null) continue;
    const outcome = returns[day] ?? Number.NaN;
    result.push({ day, return: outcome, tails, forecast });
    if (!Number.isNaN(outcome)) tails = adaptTails(tails, forecast, outcome);
  }
  return result;
}
