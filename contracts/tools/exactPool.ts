// A Uniswap v3 pool's arithmetic in exact integers, from the whitepaper's formulas with the pool's roundings.
const Q96 = 1n << 96n;
const FEE_PIPS = 10_000n;
const PIPS = 1_000_000n;

/**
 * What a buy with `amountIn` of the quote asset yields within one range of constant liquidity (whitepaper 6.13 to
 * 6.16): the price moves by the input less the fee, rounded so that the pool never gives too much.
 */
export function initialBuyOut(amountIn: bigint, liquidity: bigint, sqrtPrice: bigint, tokenIsToken0: boolean): bigint {
  const net = (amountIn * (PIPS - FEE_PIPS)) / PIPS;
  if (tokenIsToken0) {
    const next = sqrtPrice + (net * Q96) / liquidity;
    return (liquidity * Q96 * (next - sqrtPrice)) / next / sqrtPrice;
  }
  const next = ceilDiv(liquidity * Q96 * sqrtPrice, liquidity * Q96 + net * sqrtPrice);
  return (liquidity * (sqrtPrice - next)) / Q96;
}

/**
 * The greatest tick whose exact price 1.0001^tick is not above the given one, looked for around a guess. No rounding
 * anywhere: both sides are compared as integers.
 */
export function exactTickOf(sqrtPriceX96: bigint, guess: number): number {
  let tick = guess - 2;
  while (isAtOrBelow(tick + 1, sqrtPriceX96)) tick += 1;
  return tick;
}

/** Whether 1.0001^tick <= (sqrtPriceX96 / 2^96)^2. A boundary price is rounded up, so it counts as its own tick. */
function isAtOrBelow(tick: number, sqrtPriceX96: bigint): boolean {
  const exponent = BigInt(Math.abs(tick));
  const [numerator, denominator] =
    tick < 0 ? [10_000n ** exponent, 10_001n ** exponent] : [10_001n ** exponent, 10_000n ** exponent];
  return numerator << 192n <= sqrtPriceX96 * sqrtPriceX96 * denominator;
}

function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
