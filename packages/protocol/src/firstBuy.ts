import { launchPoolFee } from "./launchAddress.ts";
import {
  amount0RoundedUp,
  amount1RoundedUp,
  ceilDiv,
  type LaunchPosition,
  launchTickSpacing,
} from "./launchPosition.ts";
import { maxTick, minTick, sqrtPriceX96AtTick } from "./poolMath.ts";

/** What a buy does to a pool that nothing was traded in. Amounts in base units. */
export type FirstBuy = {
  amountOut: bigint;
  /** What the pool takes, the fee included: less than was offered when the whole supply is sold. */
  spent: bigint;
  sqrtPriceX96After: bigint;
};

const feeDenominator = 1_000_000n;
const fee = BigInt(launchPoolFee);
/** Initialised ticks are found within words of so many tick spacings. */
const wordTicks = 256;

/**
 * Computes the first buy of a launch's pool, to the base unit as the pool does: from the start price through the locked
 * position, which is the only liquidity, since before the launch there is no token to provide. The pool rounds at every
 * 256th tick spacing, and so does this. Source: Uniswap v3 whitepaper, 6.2.3 and 6.3.
 *
 * @param amountIn - Native in wei, above zero and below 2^128.
 */
export function firstBuy(position: LaunchPosition, amountIn: bigint): FirstBuy {
  const { isToken0 } = position;
  let [remaining, amountOut, price, tick] = [amountIn, 0n, position.sqrtPriceX96, position.tickStart];
  // At the upper end of its range a position is not active.
  let isActive = isToken0;
  const limit = isToken0 ? sqrtPriceX96AtTick(maxTick) - 1n : sqrtPriceX96AtTick(minTick) + 1n;
  while (remaining > 0n && price !== limit) {
    const next = findNextTick(position, tick);
    const priceAtNext = sqrtPriceX96AtTick(next.tick);
    const target = isToken0 ? min(priceAtNext, limit) : max(priceAtNext, limit);
    const step = computeStep(isToken0, price, target, isActive ? position.liquidity : 0n, remaining);
    remaining -= step.spent;
    amountOut += step.amountOut;
    price = step.price;
    if (price !== priceAtNext) break;
    if (next.isInitialized) isActive = !isActive;
    tick = isToken0 ? next.tick : next.tick - 1;
  }
  return { amountOut, spent: amountIn - remaining, sqrtPriceX96After: price };
}

const min = (a: bigint, b: bigint) => (a < b ? a : b);
const max = (a: bigint, b: bigint) => (a > b ? a : b);

/** The next tick at which the pool stops: an end of the position, or the end of the bitmap's word. */
function findNextTick(
  { isToken0, tickLower, tickUpper }: LaunchPosition,
  tick: number,
): { tick: number; isInitialized: boolean } {
  const compressed = Math.floor(tick / launchTickSpacing) + (isToken0 ? 1 : 0);
  const wordStart = Math.floor(compressed / wordTicks) * wordTicks;
  const [first, last] = isToken0 ? [compressed, wordStart + wordTicks - 1] : [wordStart, compressed];
  const ends = [tickLower, tickUpper].filter(
    (end) => end >= first * launchTickSpacing && end <= last * launchTickSpacing,
  );
  if (ends.length > 0) return { tick: isToken0 ? Math.min(...ends) : Math.max(...ends), isInitialized: true };
  const end = (isToken0 ? last : first) * launchTickSpacing;
  return { tick: Math.max(minTick, Math.min(maxTick, end)), isInitialized: false };
}

/** One step of a swap with an exact input within constant liquidity (whitepaper, 6.2.3). */
function computeStep(isToken0: boolean, price: bigint, target: bigint, liquidity: bigint, remaining: bigint) {
  const afterFee = (remaining * (feeDenominator - fee)) / feeDenominator;
  const cost = isToken0 ? amount1RoundedUp(liquidity, price, target) : amount0RoundedUp(liquidity, target, price);
  const isReached = afterFee >= cost;
  const priceAfter = isReached ? target : movePrice(isToken0, price, liquidity, afterFee);
  const amountOut = isToken0
    ? amount0RoundedDown(liquidity, price, priceAfter)
    : (liquidity * (price - priceAfter)) >> 96n;
  // What is left of the input is the fee when the target is not reached.
  const spent = isReached ? cost + ceilDiv(cost * fee, feeDenominator - fee) : remaining;
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
