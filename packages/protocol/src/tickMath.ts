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
 * 1.0001^(-2^i / 2) for i = 0..19 as Q128 rounded to nearest: the factors that Uniswap v3's TickMath multiplies.
 * Derived here from 1.0001 itself, so that nothing is copied and the source of every digit is plain.
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
 * sqrt(1.0001^tick) x 2^96, to the bit as a Uniswap v3 pool computes it (Uniswap v3 whitepaper, 6.1; the pool rounds
 * each Q128 product down and the final shift up).
 *
 * @param tick - Between `minTick` and `maxTick`.
 * @throws RangeError when the tick is out of range or no integer.
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
