import type { Market } from "../../markets/market.ts";
import type { PoolDepth } from "./emissionQueries.ts";

/** What an exchange takes of each side, as a fraction. */
const exchangeFee = 0.001;
/** What a position is worth where its own size moves the price. */
const positionUsd = 1_000;
const weiPerEther = 1e18;

export type SignalCost = { cost: number; impact: number };

/**
 * What entry and exit cost together, as a fraction: on exchanges the fee and half the spread on each side; in a launch's
 * own pool its fee and how far 1,000 USD move the price.
 *
 * @param depth - Of a pool; undefined for other markets.
 * @returns null when it is not known: then nothing can be said of the market.
 */
export function getSignalCost(
  { source }: Pick<Market, "source">,
  { price, spread }: { price: number; spread: number },
  depth: PoolDepth | undefined,
): SignalCost | null {
  if (source !== "pool") return Number.isFinite(spread) ? { cost: 2 * exchangeFee + spread, impact: 0 } : null;
  if (depth === undefined || depth.ethUsd === null || !(depth.ethUsd > 0) || !(depth.liquidity > 0)) return null;
  // Of a position of liquidity L at price p, L √p of the quote asset would move the root of the price by itself.
  const reserve = (depth.liquidity / weiPerEther) * Math.sqrt(price);
  const impact = positionUsd / depth.ethUsd / reserve;
  return Number.isFinite(impact) ? { cost: 2 * (depth.feeBps / 10_000 + impact), impact } : null;
}
