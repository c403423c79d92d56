import { positionAmounts, sqrtPriceX96AtTick } from "./poolMath.ts";

/** The locked position of a launch. The token and wrapped native have 18 decimals. */
export type LockedPosition = {
  liquidity: bigint;
  tickLower: number;
  tickUpper: number;
  /** Whether the launch token is the pool's token0. */
  isToken0: boolean;
};

/** Square-root prices by tick: all launches of a deployment share their ticks. */
const boundaries = new Map<number, bigint>();
const maxCachedBoundaries = 1_000;

/** Returns the square-root price of a position's boundary. */
function getBoundarySqrtPrice(tick: number): bigint {
  let value = boundaries.get(tick);
  if (value === undefined) {
    value = sqrtPriceX96AtTick(tick);
    if (boundaries.size >= maxCachedBoundaries) boundaries.clear();
    boundaries.set(tick, value);
  }
  return value;
}

/**
 * Computes the value of a locked position in whole wrapped native: the quote asset, and the token at the pool's price.
 *
 * @param price - Whole wrapped native for a whole token.
 */
export function computeLiquidityValue(position: LockedPosition, sqrtPriceX96: bigint, price: number): number {
  const { amount0, amount1 } = positionAmounts(
    position.liquidity,
    sqrtPriceX96,
    getBoundarySqrtPrice(position.tickLower),
    getBoundarySqrtPrice(position.tickUpper),
  );
  const [tokens, quote] = position.isToken0 ? [amount0, amount1] : [amount1, amount0];
  return (Number(tokens) * price + Number(quote)) / 1e18;
}
