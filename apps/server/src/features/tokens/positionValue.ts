import { computeLiquidityValue } from "@slipway/protocol/lockedPosition";

/** The locked position of a launch. Amounts are text. */
type Position = { locked_liquidity: string; tick_lower: number; tick_upper: number };

/** The position, and the price of its pool. */
type PricedPosition = Position & { sqrt_price_x96: string; is_token0: boolean; price: number };

/** Returns the value of a token's locked position in whole wrapped native. */
export function getLiquidityValue(row: PricedPosition): number {
  const { tick_lower: tickLower, tick_upper: tickUpper, is_token0: isToken0 } = row;
  const position = { liquidity: BigInt(row.locked_liquidity), tickLower, tickUpper, isToken0 };
  return computeLiquidityValue(position, BigInt(row.sqrt_price_x96), row.price);
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
