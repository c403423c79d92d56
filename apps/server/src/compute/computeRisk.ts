import type { DayForecast } from "@slipway/quant/risk/dayForecasts";
import { type PairRisk, riskSnapshot } from "@slipway/quant/risk/riskSnapshot";
import type { RiskBars } from "@slipway/quant/volatility/hourGrid";

/** The hourly bars of a pair, and its stored forecasts. */
export type RiskTask = { bars: RiskBars; stored: readonly DayForecast[] };

/** Computes the risk of one pair; called by the pool on a thread of its own. */
export function computeRisk({ bars, stored }: RiskTask): PairRisk {
  return riskSnapshot(bars, stored);
}

/** Resolves when the thread has loaded its program. */
export function start(): void {
  // Nothing else: the imports above are the start.
}
