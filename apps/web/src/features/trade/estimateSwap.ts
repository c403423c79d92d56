import type { TokenDetail } from "@slipway/protocol/indexed";
import { poolFeeAmount, priceImpactBps } from "@slipway/protocol/poolMath";

/** What a trade would yield by the last known state of the pool. */
export type SwapEstimate = { amountOut: bigint; priceImpactBps: number | null; feeAmount: bigint };

type Pool = Pick<TokenDetail, "address" | "quote_token" | "fee_bps" | "pool_state">;

const q96 = 1n << 96n;

/**
 * Computes a swap of an exact input within the launch's position, as the pool does with constant liquidity (Uniswap v3
 * whitepaper, 6.2.3).
 *
 * @param amountIn - In base units: wrapped native of a buy, the token of a sell.
 * @returns `too_thin` where the position does not reach that far; null where the pool's state says nothing of the amount.
 */
export function estimateSwap(pool: Pool, side: "buy" | "sell", amountIn: bigint): SwapEstimate | "too_thin" | null {
  const { address, quote_token: quoteToken, fee_bps: feeBps, pool_state: state } = pool;
  if (quoteToken === null || feeBps === null || amountIn <= 0n) return null;
  const [sqrtPrice, liquidity] = [BigInt(state.sqrt_price_x96), BigInt(state.liquidity)];
  const tokenIsToken0 = address.toLowerCase() < quoteToken.toLowerCase();
  const zeroForOne = tokenIsToken0 === (side === "sell");
  if (sqrtPrice === 0n) return null;
  // Outside of the position there is no liquidity: what moves the price further away finds none.
  const isBeyond = zeroForOne ? state.tick < state.tick_lower : state.tick >= state.tick_upper;
  if (liquidity === 0n) return isBeyond ? "too_thin" : null;
  const feePips = feeBps * 100;
  const feeAmount = poolFeeAmount(amountIn, feePips);
  const spent = amountIn - feeAmount;
  const after = zeroForOne
    ? (liquidity * q96 * sqrtPrice) / (liquidity * q96 + spent * sqrtPrice)
    : sqrtPrice + (spent * q96) / liquidity;
  // Beyond the position's end there is nothing to trade against.
  const ticks = zeroForOne ? state.tick_lower : state.tick_upper;
  if (zeroForOne ? after < toSqrtPrice(ticks) : after > toSqrtPrice(ticks)) return "too_thin";
  const amountOut = zeroForOne
    ? (liquidity * (sqrtPrice - after)) / q96
    : (liquidity * q96 * (after - sqrtPrice)) / after / sqrtPrice;
  return { amountOut, feeAmount, priceImpactBps: priceImpactBps(amountIn, amountOut, sqrtPrice, zeroForOne, feePips) };
}

/** The price of a tick with a double's precision: enough for an end that no estimate comes near. */
function toSqrtPrice(tick: number): bigint {
  const [mantissa, exponent] = (1.0001 ** (tick / 2) * 2 ** 40).toExponential(15).split("e") as [string, string];
  const digits = BigInt(mantissa.replace(".", ""));
  const shift = Number(exponent) - 15;
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) * 2n ** 56n : (digits * 2n ** 56n) / 10n ** BigInt(-shift);
  return scaled;
}
