import { toSorted } from "../numeric/quantile.ts";

/** Value at risk and expected shortfall of one tail as positive fractions. */
export type TailRisk = { valueAtRisk: number; expectedShortfall: number };

/** Standardised returns as losses and as gains, each in ascending order. */
export type SortedResiduals = { losses: Float64Array; gains: Float64Array };

/** Standardised returns: each divided by its forecast volatility. */
export function standardiseReturns(returns: ArrayLike<number>, volatility: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: returns.length }, (_, t) => returns[t]! / volatility[t]!);
}

/** Sorts standardised returns once for any number of levels. */
export function sortResiduals(standardised: ArrayLike<number>): SortedResiduals {
  const gains = toSorted(standardised);
  const losses = new Float64Array(gains.length);
  for (let i = 0; i < gains.length; i++) losses[i] = -gains[gains.length - 1 - i]!;
  return { gains, losses };
}

/**
 * Filtered historical simulation (Barone-Adesi, Giannopoulos & Vosper 1999; Hull & White 1998): the quantile of past
 * standardised returns times the current volatility forecast; the shortfall is the mean beyond that quantile.
 *
 * @param standardised of the last days, usually 500
 * @param volatility of the next period
 * @param level 0..1, e.g. 0.99
 * @returns both tails: losses of a long and of a short position; NaN without returns
 */
export function filteredHistoricalSimulation(
  standardised: ArrayLike<number>,
  volatility: number,
  level: number,
): { downside: TailRisk; upside: TailRisk } {
  const { losses, gains } = sortResiduals(standardised);
  return { downside: tailRisk(losses, volatility, level), upside: tailRisk(gains, volatility, level) };
}

/** The risk of the upper tail of sorted losses, never negative. */
export function tailRisk(sorted: Float64Array, volatility: number, level: number): TailRisk {
  const n = sorted.length;
  // Hyndman & Fan's type 6, (n + 1) p: gives the correct exceedance probability of a new value for independent returns.
  const position = Math.min(Math.max((n + 1) * level - 1, 0), n - 1);
  const below = Math.floor(position);
  const share = position - below;
  const high = sorted[Math.min(below + 1, n - 1)] ?? Number.NaN;
  const quantile = (sorted[below] ?? Number.NaN) * (1 - share) + high * share;
  let sum = 0;
  let count = 0;
  for (let i = n - 1; i >= 0 && sorted[i]! >= quantile; i--) {
    sum += sorted[i]!;
    count++;
  }
  const shortfall = count > 0 ? sum / count : quantile;
  const valueAtRisk = Math.max(0, quantile * volatility);
  return { valueAtRisk, expectedShortfall: Math.max(valueAtRisk, shortfall * volatility) };
}
