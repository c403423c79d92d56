import type { TokenDetail } from "@slipway/protocol/indexed";
import { poolFeeAmount, priceImpactBps } from "@slipway/protocol/poolMath";

/** The estimated result of a trade, from the last known pool state. */
export type SwapEstimate = { amountOut: bigint; priceImpactBps: number | null; feeAmount: bigint };

type Pool = Pick<TokenDetail, "address" | "quote_token" | "fee_bps" | "pool_state">;

const q96 = 1n << 96n;

/**
 * Computes a swap of an exact input within the launch's position, as the pool does with constant liquidity (Uniswap v3
 * whitepaper, 6.2.3).
 *
 * @param amountIn - In base units: wrapped native for a buy, the token for a sell.
 * @returns `too_thin` if the position has too little liquidity; null if the pool's state cannot answer for the amount.
 */
export function estimateSwap(pool: Pool, side: "buy" | "sell", amountIn: bigint): SwapEstimate | "too_thin" | null {
  const { address, quote_token: quoteToken, fee_bps: feeBps, pool_state: state } = pool;
  if (quoteToken === null || feeBps === null || amountIn <= 0n) return null;
  const [sqrtPrice, liquidity] = [BigInt(state.sqrt_price_x96), BigInt(state.liquidity)];
  const tokenIsToken0 = address.toLowerCase() < quoteToken.toLowerCase();
  const zeroForOne = tokenIsToken0 === (side === "sell");
  if (sqrtPrice === 0n) return null;
  // Outside the position there is no liquidity to move the price further away.
  const isBeyond = zeroForOne ? state.tick < state.tick_lower : state.tick >= state.tick_upper;
  if (liquidity === 0n) return isBeyond ? "too_thin" : null;
  const feePips = feeBps * 100;
  const feeAmount = poolFeeAmount(amountIn, feePips);
  const spent = amountIn - feeAmount;
  const after = zeroForOne
    ? (liquidity * q96 * sqrtPrice) / (liquidity * q96 + spent * sqrtPrice)
    : sqrtPrice + (spent * q96) / liquidity;
  // Beyond the position's end there is no liquidity.
  const ticks = zeroForOne ? state.tick_lower : state.tick_upper;
  if (zeroForOne ? after < toSqrtPrice(ticks) : after > toSqrtPrice(ticks)) return "too_thin";
  const amountOut = zeroForOne
    ? (liquidity * (sqrtPrice - after)) / q96
    : (liquidity * q96 * (after - sqrtPrice)) / after / sqrtPrice;
  return { amountOut, feeAmount, priceImpactBps: priceImpactBps(amountIn, amountOut, sqrtPrice, zeroForOne, feePips) };
}

/** Returns the price of a tick with double precision, which suffices for a limit that estimates do not approach. */
function toSqrtPrice(tick: number): bigint {
  const [mantissa, exponent] = (1.0001 ** (tick / 2) * 2 ** 40).toExponential(15).split("e") as [string, string];
  const digits = BigInt(mantissa.replace(".", ""));
  const shift = Number(exponent) - 15;
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) * 2n ** 56n : (digits * 2n ** 56n) / 10n ** BigInt(-shift);
  return scaled;
}
