import { type SortedResiduals, type TailRisk, tailRisk } from "./filteredHistoricalSimulation.ts";

/** Levels of value at risk, and of the bands around a price. */
export const riskLevels = [0.95, 0.99] as const;
export const bandLevels = [0.8, 0.95] as const;

/**
 * The probabilities beyond each bound that a forecast uses: losses and gains by `riskLevels`, bands by `bandLevels`.
 */
export type Tails = { downside: number[]; upside: number[]; bands: number[] };

/** The forecast for the next period, as log returns: losses and gains by `riskLevels`, bands by `bandLevels`. */
export type RiskForecast = { downside: TailRisk[]; upside: TailRisk[]; bands: { lower: number; upper: number }[] };

/** The step as a share of the rate: 0.01 at a rate of 5%, as in the paper. */
const stepShare = 0.2;
/** Maximum factor between a used probability and its rate, in both directions. */
const maxFactor = 5;

const rates = {
  downside: riskLevels.map((level) => 1 - level),
  upside: riskLevels.map((level) => 1 - level),
  bands: bandLevels.map((level) => 1 - level),
};

/** The initial probabilities: the rates themselves. */
export const startTails = (): Tails => structuredClone(rates);

/**
 * Adjusts each probability to the outcome (adaptive conformal inference, Gibbs & Candès 2021): down after a return
 * beyond its bound, slightly up after any other. The share of returns beyond a bound approaches its rate for any
 * distribution of returns.
 */
export function adaptTails(tails: Tails, forecast: RiskForecast, outcome: number): Tails {
  const move = (name: keyof Tails, isBeyond: (k: number) => boolean) =>
    tails[name].map((tail, k) => {
      const rate = rates[name][k]!;
      return tail + Math.min(stepShare * rate, 0.01) * (rate - (isBeyond(k) ? 1 : 0));
    });
  return {
    downside: move("downside", (k) => outcome < -forecast.downside[k]!.valueAtRisk),
    upside: move("upside", (k) => outcome > forecast.upside[k]!.valueAtRisk),
    bands: move("bands", (k) => outcome < forecast.bands[k]!.lower || outcome > forecast.bands[k]!.upper),
  };
}

/** The risk of the next period from sorted residuals, its volatility and the probabilities beyond the bounds. */
export function forecastRisk(residuals: SortedResiduals, volatility: number, tails: Tails): RiskForecast {
  const used = (name: keyof Tails) => {
    const bounded = tails[name].map((tail, k) => {
      const rate = rates[name][k]!;
      return Math.min(Math.max(tail, rate / maxFactor), Math.min(rate * maxFactor, 0.5));
    });
    // Keeps the levels ordered: the 99% bound is never inside of the 95% bound.
    return [Math.max(...bounded), Math.min(...bounded)] as const;
  };
  const { losses, gains } = residuals;
  return {
    downside: used("downside").map((tail) => tailRisk(losses, volatility, 1 - tail)),
    upside: used("upside").map((tail) => tailRisk(gains, volatility, 1 - tail)),
    bands: used("bands").map((tail) => ({
      lower: -tailRisk(losses, volatility, 1 - tail / 2).valueAtRisk,
      upper: tailRisk(gains, volatility, 1 - tail / 2).valueAtRisk,
    })),
  };
}
