import { positionAmounts, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";

/** The locked position of a launch. Amounts are text. */
type Position = { locked_liquidity: string; tick_lower: number; tick_upper: number };

/** The position, and the price of its pool. */
type PricedPosition = Position & { sqrt_price_x96: string; is_token0: boolean; price: number };

/** Square-root prices by tick: all launches of a deployment share their ticks. */
const boundaries = new Map<number, bigint>();
const maxCachedBoundaries = 1_000;

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
 * Computes the value of a token's locked position in whole wrapped native: the quote asset, and the token at the pool's
 * price.
 */
export function computeLiquidityValue(row: PricedPosition): number {
  const { amount0, amount1 } = positionAmounts(
    BigInt(row.locked_liquidity),
    BigInt(row.sqrt_price_x96),
    getBoundarySqrtPrice(row.tick_lower),
    getBoundarySqrtPrice(row.tick_upper),
  );
  const [tokens, quote] = row.is_token0 ? [amount0, amount1] : [amount1, amount0];
  return (Number(tokens) * row.price + Number(quote)) / 1e18;
}

/**
 * Computes the locked share of the active liquidity in percent. Returns 100 while no liquidity is in range, as at the
 * start of a launch whose token is the pool's token1: only the locked position can come into range.
 */
export function computePercentLocked(row: Position & { liquidity: string; tick: number }): number {
  const active = BigInt(row.liquidity);
  if (active === 0n) return 100;
  if (row.tick < row.tick_lower || row.tick >= row.tick_upper) return 0;
  const locked = BigInt(row.locked_liquidity);
  return locked >= active ? 100 : Number((locked * 1_000_000n) / active) / 10_000;
}
