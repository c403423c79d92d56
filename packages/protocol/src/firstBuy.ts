import { larger, smaller } from "./bigints.ts";
import { type LaunchTier, toPoolFee } from "./feeTiers.ts";
import { amount0RoundedUp, amount1RoundedUp, ceilDiv, type LaunchPosition } from "./launchPosition.ts";
import { maxTick, minTick, sqrtPriceX96AtTick } from "./poolMath.ts";

/** The result of the first buy in a pool. Amounts in base units. */
export type FirstBuy = {
  amountOut: bigint;
  /** The amount that the pool takes, with the fee: less than the input if the whole supply is sold. */
  spent: bigint;
  sqrtPriceX96After: bigint;
};

const feeDenominator = 1_000_000n;
/** The number of tick spacings in one word of the tick bitmap. */
const wordTicks = 256;

/**
 * Computes the first buy of a launch's pool with the pool's arithmetic, exact to the base unit: from the start price
 * through the locked position. That position is the only liquidity, because nobody else has the token before the
 * launch. The pool rounds at every 256th tick spacing, and so does this function. Source: Uniswap v3 whitepaper, 6.2.3
 * and 6.3.
 *
 * @param tier - The fee and the tick spacing of the pool.
 * @param amountIn - Native in wei, above zero and below 2^128.
 */
export function firstBuy(position: LaunchPosition, tier: LaunchTier, amountIn: bigint): FirstBuy {
  const { isToken0 } = position;
  const poolFee = BigInt(toPoolFee(tier.feeBps));
  let [remaining, amountOut, price, tick] = [amountIn, 0n, position.sqrtPriceX96, position.tickStart];
  // A position is not active at the upper end of its range.
  let isActive = isToken0;
  const limit = isToken0 ? sqrtPriceX96AtTick(maxTick) - 1n : sqrtPriceX96AtTick(minTick) + 1n;
  while (remaining > 0n && price !== limit) {
    const next = findNextTick(position, tier.tickSpacing, tick);
    const priceAtNext = sqrtPriceX96AtTick(next.tick);
    const target = isToken0 ? smaller(priceAtNext, limit) : larger(priceAtNext, limit);
    const step = computeStep(
      { isToken0, poolFee, liquidity: isActive ? position.liquidity : 0n },
      price,
      target,
      remaining,
    );
    remaining -= step.spent;
    amountOut += step.amountOut;
    price = step.price;
    if (price !== priceAtNext) break;
    if (next.isInitialized) isActive = !isActive;
    tick = isToken0 ? next.tick : next.tick - 1;
  }
  return { amountOut, spent: amountIn - remaining, sqrtPriceX96After: price };
}

/** Returns the next tick at which the pool stops: an end of the position, or the end of the bitmap word. */
function findNextTick(
  { isToken0, tickLower, tickUpper }: LaunchPosition,
  tickSpacing: number,
  tick: number,
): { tick: number; isInitialized: boolean } {
  const compressed = Math.floor(tick / tickSpacing) + (isToken0 ? 1 : 0);
  const wordStart = Math.floor(compressed / wordTicks) * wordTicks;
  const [first, last] = isToken0 ? [compressed, wordStart + wordTicks - 1] : [wordStart, compressed];
  const ends = [tickLower, tickUpper].filter((end) => end >= first * tickSpacing && end <= last * tickSpacing);
  if (ends.length > 0) return { tick: isToken0 ? Math.min(...ends) : Math.max(...ends), isInitialized: true };
  const end = (isToken0 ? last : first) * tickSpacing;
  return { tick: Math.max(minTick, Math.min(maxTick, end)), isInitialized: false };
}

/** `poolFee` in hundredths of a basis point. */
type SwapTerms = { isToken0: boolean; poolFee: bigint; liquidity: bigint };

/** Computes one step of a swap with an exact input at constant liquidity (whitepaper, 6.2.3). */
function computeStep({ isToken0, poolFee, liquidity }: SwapTerms, price: bigint, target: bigint, remaining: bigint) {
  const afterFee = (remaining * (feeDenominator - poolFee)) / feeDenominator;
  const cost = isToken0 ? amount1RoundedUp(liquidity, price, target) : amount0RoundedUp(liquidity, target, price);
  const isReached = afterFee >= cost;
  const priceAfter = isReached ? target : movePrice(isToken0, price, liquidity, afterFee);
  const amountOut = isToken0
    ? amount0RoundedDown(liquidity, price, priceAfter)
    : (liquidity * (price - priceAfter)) >> 96n;
  // If the target is not reached, the rest of the input is the fee.
  const spent = isReached ? cost + ceilDiv(cost * poolFee, feeDenominator - poolFee) : remaining;
  return { price: priceAfter, amountOut, spent };
}

/** Computes the price after an input: token1 raises it (6.13), token0 lowers it (6.15); rounded against the trader. */
function movePrice(isToken0: boolean, price: bigint, liquidity: bigint, amountIn: bigint): bigint {
  if (isToken0) return price + (amountIn << 96n) / liquidity;
  const scaled = liquidity << 96n;
  return ceilDiv(scaled * price, scaled + amountIn * price);
}

function amount0RoundedDown(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower;
}
