const q96 = 1n << 96n;

/** Amounts of a position's two assets in base units, rounded down. */
export type PositionAmounts = { amount0: bigint; amount1: bigint };

/**
 * What a Uniswap v3 position of `liquidity` between two square-root prices holds at the current one
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

/** The largest liquidity that `amount0` alone can fund between two square-root prices. */
export function liquidityForAmount0(amount0: bigint, sqrtLowerX96: bigint, sqrtUpperX96: bigint): bigint {
  const intermediate = (sqrtLowerX96 * sqrtUpperX96) / q96;
  return (amount0 * intermediate) / (sqrtUpperX96 - sqrtLowerX96);
}

/** The largest liquidity that `amount1` alone can fund between two square-root prices. */
export function liquidityForAmount1(amount1: bigint, sqrtLowerX96: bigint, sqrtUpperX96: bigint): bigint {
  return (amount1 * q96) / (sqrtUpperX96 - sqrtLowerX96);
}
