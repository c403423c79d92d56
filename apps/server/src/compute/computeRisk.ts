import type { DayForecast } from "@slipway/quant/risk/dayForecasts";
import { type PairRisk, riskSnapshot } from "@slipway/quant/risk/riskSnapshot";
import type { RiskBars } from "@slipway/quant/volatility/hourGrid";

/** The hourly bars of a pair, and its stored forecasts. */
export type RiskTask = { bars: RiskBars; stored: readonly DayForecast[] };

/** Computes the risk of one pair; the pool calls it on a separate thread. */
export function computeRisk({ bars, stored }: RiskTask): PairRisk {
  return riskSnapshot(bars, stored);
}

/** Resolves when the thread has loaded its program. */
export function start(): void {
  // Empty: the imports above load the program.
}
