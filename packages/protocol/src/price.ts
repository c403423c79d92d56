const q96 = 2 ** 96;

/**
 * The price that a Uniswap v3 square-root price says (whitepaper, 6.1), in whole units: how much of the other asset one
 * whole `base` asset costs. Always finite and above zero within the pool's bounds.
 *
 * @param baseIsToken0 - Which of the pool's assets is priced.
 */
export function priceFromSqrtX96(sqrtPriceX96: bigint, baseIsToken0: boolean, decimals0 = 18, decimals1 = 18): number {
  const ratio = Number(sqrtPriceX96) / q96;
  const price = ratio * ratio * 10 ** (decimals0 - decimals1);
  return baseIsToken0 ? price : 1 / price;
}

/** ETH/USD outside of this is no price but a broken or hostile pool: unknown. */
const lowestEthUsd = 1e-6;
const highestEthUsd = 1e9;

/** An ETH/USD price that can be used, or null. */
export function plausibleEthUsd(price: number): number | null {
  return price >= lowestEthUsd && price <= highestEthUsd ? price : null;
}

const microsDivisor = 10n ** 20n;

/**
 * The USD value of an amount of wrapped native in millionths of a dollar, rounded down. ETH/USD counts to 8 decimals,
 * so that the value is an exact function of its arguments and sums do not depend on their order.
 */
export function usdMicros(quoteAmountInWei: bigint, ethUsd: number | null): bigint | null {
  if (ethUsd === null) return null;
  return (quoteAmountInWei * BigInt(Math.round(ethUsd * 1e8))) / microsDivisor;
}

/** What a trade's amounts say: execution prices and volume; USD null when ETH/USD is unknown. */
export type TradePrices = { priceEth: number | null; priceUsd: number | null; volumeUsd: number | null };

/** The execution price of a trade of 18-decimals assets (docs/api.md, Meanings). Null where the token amount is zero. */
export function tradePrices(tokenAmount: bigint, quoteAmount: bigint, ethUsd: number | null): TradePrices {
  const priceEth = tokenAmount === 0n ? null : Number(quoteAmount) / Number(tokenAmount);
  const micros = usdMicros(quoteAmount, ethUsd);
  return {
    priceEth,
    priceUsd: priceEth === null || ethUsd === null ? null : priceEth * ethUsd,
    volumeUsd: micros === null ? null : Number(micros) / 1e6,
  };
}
