import { SlipwayError } from "@slipway/protocol/errors";
import { deviationBps, valueAtSqrtPrice } from "@slipway/protocol/gas";
import type { TradeAsset } from "../../transactions/tradeAssets.ts";

/** Prices are compared at this amount, so that rounding to base units is negligible. */
const comparisonAmount = 10n ** 36n;

/**
 * Asserts that the price of an asset's pool at the block is near the indexed price, the median of ten minutes. Within one
 * block, anybody can move a pool's price: a quote at such a price would have a minimum that lets another account take the
 * difference.
 *
 * @param sqrtPriceX96 - The pool's price before the trade.
 * @param ethUsd - Dollars for one whole native, from the index; null if it has no reliable price.
 * @throws SlipwayError `asset_unavailable`.
 */
export function assertAssetPrice(
  { symbol, token, decimals }: TradeAsset,
  wrappedNative: string,
  sqrtPriceX96: bigint,
  ethUsd: number | null,
  maxDeviationBps: number,
): void {
  if (ethUsd === null) {
    throw new SlipwayError("asset_unavailable", "The index has no reliable ETH/USD price; try again later.");
  }
  const nativeIsToken0 = BigInt(wrappedNative) < BigInt(token);
  const spot = valueAtSqrtPrice(comparisonAmount, sqrtPriceX96, nativeIsToken0);
  const millionths = BigInt(Math.round(ethUsd * 1e6));
  const indexed = (millionths * comparisonAmount * 10n ** BigInt(decimals)) / 10n ** 24n;
  if (indexed > 0n && deviationBps(spot, indexed) <= maxDeviationBps) return;
  throw new SlipwayError(
    "asset_unavailable",
    `The price of ${symbol} in its pool is too far from the price of the last ten minutes; try again in some minutes.`,
  );
}
