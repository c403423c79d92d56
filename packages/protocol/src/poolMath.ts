/** The lowest and highest tick of a Uniswap v3 pool. */
export const minTick = -887272;
export const maxTick = 887272;

const precisionBits = 512n;

function integerSqrt(value: bigint): bigint {
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/**
 * Derives 1.0001^(-2^i / 2) for i = 0..19 as Q128 rounded to nearest: the factors of Uniswap v3's TickMath, computed
 * from 1.0001 instead of copied constants.
 */
function deriveFactors(): readonly bigint[] {
  const half = 1n << (precisionBits - 129n);
  const factors: bigint[] = [];
  let power = integerSqrt((10000n << (2n * precisionBits)) / 10001n);
  for (let i = 0; i < 20; i++) {
    factors.push((power + half) >> (precisionBits - 128n));
    power = (power * power) >> precisionBits;
  }
  return factors;
}

const factors = deriveFactors();

/**
 * Computes sqrt(1.0001^tick) x 2^96, bit-identical to a Uniswap v3 pool (Uniswap v3 whitepaper, 6.1; the pool rounds each
 * Q128 product down and the final shift up).
 *
 * @param tick - Between `minTick` and `maxTick`.
 * @throws RangeError when the tick is out of range or not an integer.
 */
export function sqrtPriceX96AtTick(tick: number): bigint {
  if (!Number.isInteger(tick) || tick < minTick || tick > maxTick) {
    throw new RangeError(`tick ${tick} is not an integer in [${minTick}, ${maxTick}]`);
  }
  const distance = Math.abs(tick);
  let ratio = 1n << 128n;
  for (const [bit, factor] of factors.entries()) {
    if (distance & (1 << bit)) ratio = (ratio * factor) >> 128n;
  }
  if (tick > 0) ratio = (2n ** 256n - 1n) / ratio;
  return (ratio + 0xffffffffn) >> 32n;
}

const q96 = 1n << 96n;

/** Amounts of a position's two assets in base units, rounded down. */
export type PositionAmounts = { amount0: bigint; amount1: bigint };

/**
 * Computes the amounts of a Uniswap v3 position of `liquidity` between two square-root prices at the current one
 * (whitepaper, 6.29 and 6.30), rounded down.
 */
export function positionAmounts(
  liquidity: bigint,
  sqrtPriceX96: bigint,
  sqrtLowerX96: bigint,
  sqrtUpperX96: bigint,
): PositionAmounts {
  const price = sqrtPriceX96 < sqrtLowerX96 ? sqrtLowerX96 : sqrtPriceX96 > sqrtUpperX96 ? sqrtUpperX96 : sqrtPriceX96;
  return {
    amount0: (liquidity * q96 * (sqrtUpperX96 - price)) / (sqrtUpperX96 * price),
    amount1: (liquidity * (price - sqrtLowerX96)) / q96,
  };
}

const q192 = 1n << 192n;
const bps = 10_000n;
const feeDenominator = 1_000_000n;

/** Computes the minimum output of a swap: `amountOut` less the slippage in basis points, rounded down. */
export function minimumOut(amountOut: bigint, slippageBps: number): bigint {
  return (amountOut * (bps - BigInt(slippageBps))) / bps;
}

/**
 * Computes the pool's fee on an input, in base units of the input, rounded up (whitepaper, 6.2.3).
 *
 * @param feePips - The pool's fee in hundredths of a basis point.
 */
export function poolFeeAmount(amountIn: bigint, feePips: number): bigint {
  return (amountIn * BigInt(feePips) + feeDenominator - 1n) / feeDenominator;
}

/**
 * Computes how much worse the price of a trade is than the pool's price, in basis points rounded to nearest, without
 * the pool's fee. At least zero; null if the trade yields nothing at the pool's price.
 *
 * @param feePips - The pool's fee in hundredths of a basis point.
 */
export function priceImpactBps(
  amountIn: bigint,
  amountOut: bigint,
  sqrtPriceX96: bigint,
  zeroForOne: boolean,
  feePips: number,
): number | null {
  const afterFee = amountIn * (feeDenominator - BigInt(feePips));
  const squared = sqrtPriceX96 * sqrtPriceX96;
  // The expected output times feeDenominator, so that only the last division rounds.
  const expected = zeroForOne ? (afterFee * squared) / q192 : squared === 0n ? 0n : (afterFee * q192) / squared;
  if (expected === 0n) return null;
  const shortfall = expected - amountOut * feeDenominator;
  if (shortfall <= 0n) return 0;
  return Number((shortfall * bps + expected / 2n) / expected);
}

/**
 * Computes the effective fee of liquidity in basis points: the pool's fee less the 1/denominator of Uniswap's protocol
 * fee (whitepaper, 6.2.2). The two directions can differ: returns the lower fee.
 *
 * @param poolProtocolFee - `feeProtocol` of the pool's slot0: a denominator in each half of the byte, zero for no fee.
 */
export function effectiveFeeBps(feeBps: number, poolProtocolFee: number): number {
  const denominators = [poolProtocolFee & 0x0f, poolProtocolFee >> 4].filter((value) => value > 0);
  if (denominators.length === 0) return feeBps;
  return Math.round(feeBps * (1 - 1 / Math.min(...denominators)) * 100) / 100;
}
