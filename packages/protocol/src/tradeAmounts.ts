const q192 = 1n << 192n;
const bps = 10_000n;
const feeDenominator = 1_000_000n;

/** The least a swap must yield: `amountOut` less the slippage, rounded down. Slippage in basis points. */
export function minimumOut(amountOut: bigint, slippageBps: number): bigint {
  return (amountOut * (bps - BigInt(slippageBps))) / bps;
}

/**
 * How much worse than the pool's price a trade is, in basis points rounded to nearest, the pool's fee left out
 * (it is known beforehand). Never below zero; null when the price says the trade should yield nothing.
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
  // Expected output times feeDenominator: amounts stay exact until the one division at the end.
  const expected = zeroForOne ? (afterFee * squared) / q192 : squared === 0n ? 0n : (afterFee * q192) / squared;
  if (expected === 0n) return null;
  const shortfall = expected - amountOut * feeDenominator;
  if (shortfall <= 0n) return 0;
  return Number((shortfall * bps + expected / 2n) / expected);
}
