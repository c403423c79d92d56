import type { Market } from "../../markets/market.ts";
import type { PoolDepth } from "./emissionQueries.ts";

/** Exchange fee per side, as a fraction. */
const exchangeFee = 0.001;
/** Value of the position in USD from which the price impact in a pool is computed. */
const positionUsd = 1_000;
const weiPerEther = 1e18;

export type SignalCost = { cost: number; impact: number };

/**
 * Computes the cost of entry and exit together, as a fraction. Per side: on exchanges the fee and half the spread; in a
 * launch's pool the pool's fee and the price impact of 1,000 USD.
 *
 * @param depth - The depth of a pool; undefined for other markets.
 * @returns Null when the cost is unknown: the market then has no signals.
 */
export function getSignalCost(
  { source }: Pick<Market, "source">,
  { price, spread }: { price: number; spread: number },
  depth: PoolDepth | undefined,
): SignalCost | null {
  if (source !== "pool") return Number.isFinite(spread) ? { cost: 2 * exchangeFee + spread, impact: 0 } : null;
  if (depth === undefined || depth.ethUsd === null || !(depth.ethUsd > 0) || !(depth.liquidity > 0)) return null;
  // Liquidity L at price p is a quote reserve of L √p: an input of that amount doubles the root of the price.
  const reserve = (depth.liquidity / weiPerEther) * Math.sqrt(price);
  const impact = positionUsd / depth.ethUsd / reserve;
  return Number.isFinite(impact) ? { cost: 2 * (depth.feeBps / 10_000 + impact), impact } : null;
}
