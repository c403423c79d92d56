import { computePriceMove, getBoundarySqrtPrice } from "@slipway/protocol/lockedPosition";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import type { TokenDepth } from "@slipway/protocol/tokenFigures";
import { toAsOf } from "../../cache/toAsOf.ts";
import { finiteOrNull } from "../../pricing/format.ts";
import { type FigureContext, toLockedPosition } from "./toTokenTraders.ts";
import type { PoolStateRow } from "./traderQueries.ts";

/** Changes of the price, in percent. */
const changes = [-10, -5, -2, -1, 1, 2, 5, 10] as const;

/** Decimals of the square root of a ratio of prices. */
const rootScale = 10n ** 15n;

/** Converts the state of a pool to the trades that move its price. */
export function toTokenDepth(row: PoolStateRow, { ethUsd, index }: FigureContext): TokenDepth {
  const position = toLockedPosition(row);
  const sqrtPriceX96 = BigInt(row.sqrt_price_x96);
  const toPrice = (sqrtPrice: bigint) => finiteOrNull(priceFromSqrtX96(sqrtPrice, row.is_token0));
  const inUsd = (native: number | null) => (ethUsd === null || native === null ? null : finiteOrNull(native * ethUsd));
  const levels = changes.map((change): TokenDepth["levels"][number] => {
    const ratio = BigInt(Math.round(Math.sqrt(1 + change / 100) * Number(rootScale)));
    // The pool's price is of token0. A price of token1 moves in the other direction.
    const target = row.is_token0 ? (sqrtPriceX96 * ratio) / rootScale : (sqrtPriceX96 * rootScale) / ratio;
    const { tokenAmount, quoteAmount, isReached } = computePriceMove(position, sqrtPriceX96, target, row.fee_bps);
    return {
      change_pct: change,
      side: change > 0 ? "buy" : "sell",
      price_eth: toPrice(target),
      token_amount: tokenAmount.toString(),
      quote_amount: quoteAmount.toString(),
      quote_usd: inUsd(Number(quoteAmount) / 1e18),
      reached: isReached,
    };
  });
  const inRange = BigInt(row.liquidity);
  const isLockedInRange = row.tick >= row.tick_lower && row.tick < row.tick_upper;
  const others = inRange - (isLockedInRange ? position.liquidity : 0n);
  const ends = [row.tick_lower, row.tick_upper].map((tick) => toPrice(getBoundarySqrtPrice(tick)));
  const [low, high] = row.is_token0 ? ends : ends.toReversed();
  const price = toPrice(sqrtPriceX96);
  return {
    price_eth: price,
    price_usd: inUsd(price),
    levels,
    liquidity: {
      locked: row.locked_liquidity,
      in_range: row.liquidity,
      others_in_range: (others > 0n ? others : 0n).toString(),
      range_price_eth: { low: low ?? null, high: high ?? null },
    },
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, index),
  };
}
