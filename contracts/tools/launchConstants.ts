// The constants that a LaunchFactory is deployed with, from exact rationals. That the pool agrees bit for bit with
// the prices of the default tick is a test's business (contracts/test/StartPrice.t.sol).
const Q96 = 1n << 96n;
const MAX_TICK = 887_200n;
const SUPPLY = 1_000_000_000n * 10n ** 18n;

/** The default start tick, from zero: about 1.5 native for the whole supply. */
export const START_TICK = 203_200n;

export interface LaunchConstants {
  startTick: bigint;
  sqrtPriceX96IfToken0: bigint;
  sqrtPriceX96IfToken1: bigint;
  liquidityIfToken0: bigint;
  liquidityIfToken1: bigint;
}

/** @returns The constructor's constants for a start tick. */
export function launchConstants(startTick: bigint): LaunchConstants {
  const lowest = sqrtPriceX96At(-MAX_TICK);
  const highest = sqrtPriceX96At(MAX_TICK);
  const ifToken0 = sqrtPriceX96At(-startTick);
  const ifToken1 = sqrtPriceX96At(startTick);
  return {
    startTick,
    sqrtPriceX96IfToken0: ifToken0,
    sqrtPriceX96IfToken1: ifToken1,
    liquidityIfToken0: mostLiquidity((liquidity) => amount0(liquidity, ifToken0, highest)),
    liquidityIfToken1: mostLiquidity((liquidity) => amount1(liquidity, lowest, ifToken1)),
  };
}

/** sqrt(1.0001^tick) * 2^96, rounded up. */
export function sqrtPriceX96At(tick: bigint): bigint {
  const exponent = tick < 0n ? -tick : tick;
  const high = 10_001n ** exponent;
  const low = 10_000n ** exponent;
  const [numerator, denominator] = tick < 0n ? [low, high] : [high, low];
  const floor = squareRoot((numerator << 192n) / denominator);
  return floor * floor * denominator === numerator << 192n ? floor : floor + 1n;
}

/** What a position costs of token0 when the price is at its lower end; the pool rounds up twice. */
function amount0(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(ceilDiv((liquidity << 96n) * (upper - lower), upper), lower);
}

/** What a position costs of token1 when the price is at its upper end. */
function amount1(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(liquidity * (upper - lower), Q96);
}

/** The largest liquidity that the supply pays for. */
function mostLiquidity(costOf: (liquidity: bigint) => bigint): bigint {
  let affordable = 0n;
  let tooMuch = 1n << 128n;
  while (tooMuch - affordable > 1n) {
    const middle = (affordable + tooMuch) >> 1n;
    if (costOf(middle) <= SUPPLY) affordable = middle;
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
