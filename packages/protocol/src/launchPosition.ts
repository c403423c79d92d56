import { sqrtPriceX96AtTick } from "./poolMath.ts";

/** A launch's supply in base units. */
export const launchSupply = 1_000_000_000n * 10n ** 18n;

/** The outermost tick that is usable at every fee tier. Source: StartPrice.MAX_TICK. */
export const outermostTick = 886_800;

/** The single-sided position of a launch, and the price at which its pool starts. */
export type LaunchPosition = {
  isToken0: boolean;
  /** The tick of the start price. */
  tickStart: number;
  tickLower: number;
  tickUpper: number;
  sqrtPriceX96: bigint;
  /** The maximum liquidity that the whole supply pays for. */
  liquidity: bigint;
};

/**
 * Computes a launch's position exactly: the start price bit-identical to the pool's, and the range from the start price
 * to the last usable tick in the direction of a higher token price (StartPrice.range). It is the same at every fee tier.
 *
 * @param startTick - The start price as a tick if the token is token1; a multiple of 600 within Uniswap's bounds.
 * @param isToken0 - Whether the token is the pool's token0.
 */
export function launchPosition(startTick: number, isToken0: boolean): LaunchPosition {
  const tickStart = isToken0 ? -startTick : startTick;
  const sqrtPriceX96 = sqrtPriceX96AtTick(tickStart);
  const [tickLower, tickUpper] = isToken0 ? [tickStart, outermostTick] : [-outermostTick, tickStart];
  const outermostPrice = sqrtPriceX96AtTick(isToken0 ? outermostTick : -outermostTick);
  const liquidity = maxLiquidity((amount) =>
    isToken0
      ? amount0RoundedUp(amount, sqrtPriceX96, outermostPrice)
      : amount1RoundedUp(amount, outermostPrice, sqrtPriceX96),
  );
  return { isToken0, tickStart, tickLower, tickUpper, sqrtPriceX96, liquidity };
}

// Formulas 6.29 and 6.30 of the whitepaper, rounded up at each division as the pool rounds amounts that it receives.

/** Computes the amount of token0 in liquidity between two square-root prices, rounded up. */
export function amount0RoundedUp(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(ceilDiv((liquidity << 96n) * (upper - lower), upper), lower);
}

/** Computes the amount of token1 in liquidity between two square-root prices, rounded up. */
export function amount1RoundedUp(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(liquidity * (upper - lower), 1n << 96n);
}

function maxLiquidity(getCost: (liquidity: bigint) => bigint): bigint {
  let affordable = 0n;
  let tooMuch = 1n << 128n;
  while (tooMuch - affordable > 1n) {
    const middle = (affordable + tooMuch) >> 1n;
    if (getCost(middle) <= launchSupply) affordable = middle;
    else tooMuch = middle;
  }
  return affordable;
}

/** Divides and rounds up. */
export function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
