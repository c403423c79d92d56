// Computes the constructor constants of a LaunchFactory with exact rational arithmetic.
// contracts/test/differential/Differential.t.sol compares the prices of the default tick with the pool, bit for bit.
const Q96 = 1n << 96n;
const MAX_TICK = 886_800n;
const SUPPLY = 1_000_000_000n * 10n ** 18n;

/** The default start tick: the whole supply costs about 1.5 native at the start price. */
export const START_TICK = 203_400n;

export interface LaunchConstants {
  startTick: bigint;
  sqrtPriceX96IfToken0: bigint;
  sqrtPriceX96IfToken1: bigint;
  liquidityIfToken0: bigint;
  liquidityIfToken1: bigint;
}

/** @returns the constructor constants for a start tick. */
export function computeLaunchConstants(startTick: bigint): LaunchConstants {
  const lowest = computeSqrtPriceX96(-MAX_TICK);
  const highest = computeSqrtPriceX96(MAX_TICK);
  const ifToken0 = computeSqrtPriceX96(-startTick);
  const ifToken1 = computeSqrtPriceX96(startTick);
  return {
    startTick,
    sqrtPriceX96IfToken0: ifToken0,
    sqrtPriceX96IfToken1: ifToken1,
    liquidityIfToken0: maxLiquidity((liquidity) => getRequiredAmount0(liquidity, ifToken0, highest)),
    liquidityIfToken1: maxLiquidity((liquidity) => getRequiredAmount1(liquidity, lowest, ifToken1)),
  };
}

/** Returns sqrt(1.0001^tick) * 2^96, rounded up. */
export function computeSqrtPriceX96(tick: bigint): bigint {
  const exponent = tick < 0n ? -tick : tick;
  const high = 10_001n ** exponent;
  const low = 10_000n ** exponent;
  const [numerator, denominator] = tick < 0n ? [low, high] : [high, low];
  const floor = squareRoot((numerator << 192n) / denominator);
  return floor * floor * denominator === numerator << 192n ? floor : floor + 1n;
}

/**
 * Returns the amount of token0 that a position requires if the price is at its lower bound. The pool rounds up twice.
 */
function getRequiredAmount0(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(ceilDiv((liquidity << 96n) * (upper - lower), upper), lower);
}

/** Returns the amount of token1 that a position requires if the price is at its upper bound. */
function getRequiredAmount1(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(liquidity * (upper - lower), Q96);
}

/** Returns the maximum liquidity that the supply can fund. */
function maxLiquidity(getCost: (liquidity: bigint) => bigint): bigint {
  let affordable = 0n;
  let tooMuch = 1n << 128n;
  while (tooMuch - affordable > 1n) {
    const middle = (affordable + tooMuch) >> 1n;
    if (getCost(middle) <= SUPPLY) affordable = middle;
    else tooMuch = middle;
  }
  return affordable;
}

function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function squareRoot(value: bigint): bigint {
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}
