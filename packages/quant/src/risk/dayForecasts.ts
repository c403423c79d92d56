import { type Days, toDays } from "../volatility/dailyVariances.ts";
import type { GarchFit } from "../volatility/garch.ts";
import type { HarFit } from "../volatility/har.ts";
import type { RiskBars } from "../volatility/hourGrid.ts";
import { computeVolatilityPath, firstFit, type VolatilityPath } from "../volatility/volatilityPath.ts";
import type { RiskForecast, Tails } from "./adaptiveTails.ts";
import { computeValueAtRiskPath, type RiskDay } from "./valueAtRiskPath.ts";

/** The stored forecast of a day, which protects the tests from later changes of bars and program. Plain JSON. */
export type DayForecast = {
  /**
   * The time of the forecast: the end of the last day of its data, Unix seconds. The forecast covers the next 24 hours.
   */
  madeAt: number;
  /** Variances of log returns; null when a model has no forecast. */
  har: number | null;
  garch: number | null;
  /** New fits of this forecast; null when an earlier fit was still in force. */
  harFit: HarFit | null;
  garchFit: GarchFit | null;
  /** Null before 300 days. */
  tails: Tails | null;
  risk: RiskForecast | null;
};

/** Days of backtests end at 23:00 UTC. */
const endOfDay = 23 * 3_600;

const toNull = (value: number) => (Number.isNaN(value) ? null : value);

export type DailyRisk = { days: Days; path: VolatilityPath; riskDays: RiskDay[]; made: DayForecast[] };

/**
 * The forecasts of each day from the data before it: stored forecasts unchanged, missing ones computed.
 *
 * @returns `made`: the forecasts that were not stored
 */
export function computeDailyRisk(bars: RiskBars, stored: readonly DayForecast[]): DailyRisk {
  const days = toDays(bars, endOfDay);
  const known = new Map(stored.map((each) => [each.madeAt, each]));
  const path = computeVolatilityPath(
    days,
    new Map(stored.map((each) => [each.madeAt, { ...each, har: each.har ?? NaN, garch: each.garch ?? NaN }])),
  );
  const knownRisk = new Map<number, { tails: Tails; forecast: RiskForecast }>();
  days.end.forEach((end, t) => {
    const each = known.get(end);
    if (each?.tails && each.risk) knownRisk.set(t + 1, { tails: each.tails, forecast: each.risk });
  });
  const riskDays = computeValueAtRiskPath(days.returns, path.combined, knownRisk);
  const byDay = new Map(riskDays.map((each) => [each.day, each]));
  const made: DayForecast[] = [];
  for (let t = firstFit; t <= days.end.length; t++) {
    const madeAt = days.end[t - 1]!;
    if (known.has(madeAt)) continue;
    const harFit = path.harFits[t]!;
    const garchFit = path.garchFits[t]!;
    const risk = byDay.get(t);
    made.push({
      madeAt,
      har: toNull(path.har[t]!),
      garch: toNull(path.garch[t]!),
      harFit: harFit === path.harFits[t - 1] ? null : harFit,
      garchFit: garchFit === path.garchFits[t - 1] ? null : garchFit,
      tails: risk?.tails ?? null,
      risk: risk?.forecast ?? null,
    });
  }
  return { days, path, riskDays, made };
}
