/** Decimal places of a ratio as text. Source: DEX Screener Adapter Specs 1.1, which accept up to 50. */
const maxPlaces = 50;

/** Formats an amount in base units exactly, as decimal text without trailing zeros: (15, 1) is "1.5". */
export function formatUnitsExact(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  return withoutTrailingZeros(digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals));
}

/** Formats a ratio of two positive amounts as decimal text with up to 50 places, rounded down. */
export function formatRatio(numerator: bigint, denominator: bigint): string {
  return formatUnitsExact((numerator * 10n ** BigInt(maxPlaces)) / denominator, maxPlaces);
}

/** Formats the price of a pool's asset, in the other asset, from the square-root price; both assets have 18 decimals. */
export function formatSqrtPrice(sqrtPriceX96: bigint, baseIsToken0: boolean): string {
  const square = sqrtPriceX96 * sqrtPriceX96;
  return baseIsToken0 ? formatRatio(square, 1n << 192n) : formatRatio(1n << 192n, square);
}

function withoutTrailingZeros(whole: string, fraction: string): string {
  const kept = fraction.replace(/0+$/, "");
  return kept === "" ? whole : `${whole}.${kept}`;
}
