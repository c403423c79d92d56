import { positionAmounts } from "@slipway/protocol/positionAmounts";
import { sqrtPriceX96AtTick } from "@slipway/protocol/tickMath";
import type { TokenRow } from "./queries.ts";

type Position = Pick<
  TokenRow,
  "locked_liquidity" | "sqrt_price_x96" | "tick_lower" | "tick_upper" | "is_token0" | "price"
>;

// All launches of a deployment share their ticks.
const boundaries = new Map<number, bigint>();
const rememberedBoundaries = 1_000;

function boundary(tick: number): bigint {
  let value = boundaries.get(tick);
  if (value === undefined) {
    value = sqrtPriceX96AtTick(tick);
    if (boundaries.size >= rememberedBoundaries) boundaries.clear();
    boundaries.set(tick, value);
  }
  return value;
}

/**
 * What both assets of a token's locked position are worth, in whole wrapped native: the quote asset as it is, the
 * token at the pool's price.
 */
export function liquidityValue(row: Position): number {
  const { amount0, amount1 } = positionAmounts(
    BigInt(row.locked_liquidity),
    BigInt(row.sqrt_price_x96),
    boundary(row.tick_lower),
    boundary(row.tick_upper),
  );
  const [tokens, quote] = row.is_token0 ? [amount0, amount1] : [amount1, amount0];
  return (Number(tokens) * row.price + Number(quote)) / 1e18;
}
