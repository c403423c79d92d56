const q96 = 2 ** 96;

/**
 * Converts a Uniswap v3 square-root price to a price in whole units (whitepaper, 6.1): the amount of the other asset for
 * one whole `base` asset. Finite and above zero within the pool's bounds.
 *
 * @param baseIsToken0 - Whether the priced asset is the pool's token0.
 */
export function priceFromSqrtX96(sqrtPriceX96: bigint, baseIsToken0: boolean, decimals0 = 18, decimals1 = 18): number {
  const ratio = Number(sqrtPriceX96) / q96;
  const price = ratio * ratio * 10 ** (decimals0 - decimals1);
  return baseIsToken0 ? price : 1 / price;
}

/** An ETH/USD price outside of these bounds means a broken or manipulated pool. */
const minEthUsd = 1e-6;
const maxEthUsd = 1e9;

/** Returns a plausible ETH/USD price, or null. */
export function plausibleEthUsd(price: number): number | null {
  return price >= minEthUsd && price <= maxEthUsd ? price : null;
}

const microsDivisor = 10n ** 20n;

/**
 * Computes the USD value of an amount of wrapped native in millionths of a dollar, rounded down. ETH/USD is rounded to 8
 * decimals, so that the value is an exact integer function and sums do not depend on their order.
 */
export function usdMicros(quoteAmountInWei: bigint, ethUsd: number | null): bigint | null {
  if (ethUsd === null) return null;
  return (quoteAmountInWei * BigInt(Math.round(ethUsd * 1e8))) / microsDivisor;
}

/** Execution prices and volume of a trade; USD values are null when ETH/USD is unknown. */
export type TradePrices = { priceEth: number | null; priceUsd: number | null; volumeUsd: number | null };

/** Computes the prices of a trade of assets with 18 decimals (docs/api.md, Meanings); null where the token amount is zero. */
export function tradePrices(tokenAmount: bigint, quoteAmount: bigint, ethUsd: number | null): TradePrices {
  const priceEth = tokenAmount === 0n ? null : Number(quoteAmount) / Number(tokenAmount);
  const micros = usdMicros(quoteAmount, ethUsd);
  return {
    priceEth,
    priceUsd: priceEth === null || ethUsd === null ? null : priceEth * ethUsd,
    volumeUsd: micros === null ? null : Number(micros) / 1e6,
  };
}
