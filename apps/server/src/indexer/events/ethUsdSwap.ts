import { plausibleEthUsd, priceFromSqrtX96 } from "@slipway/protocol/price";
import { decodeSwap, swapTopic } from "@slipway/protocol/swapLog";
import type { Batch } from "../reduce/batch.ts";
import type { EthUsdSource } from "../sources.ts";
import type { EventModule } from "./eventModule.ts";

/** USD of one whole native at a square-root price of the ETH/USD pool; null when it cannot be a price. */
export function ethUsdAt(source: EthUsdSource, sqrtPriceX96: bigint): number | null {
  return plausibleEthUsd(priceFromSqrtX96(sqrtPriceX96, source.nativeIsToken0, source.decimals0, source.decimals1));
}

/** Takes a new price of the ETH/USD pool; one that cannot be a price changes nothing. */
export function addEthUsd(batch: Batch, seen: { sqrtPriceX96: bigint; tick: number; liquidity: bigint }): void {
  const { at, state } = batch;
  const price = ethUsdAt(state.sources.ethUsd!, seen.sqrtPriceX96);
  if (price === null) return;
  state.ethUsd = price;
  batch.ethUsd.set(at.blockNumber, {
    block_number: at.blockNumber,
    log_index: at.logIndex,
    block_time: at.blockTime,
    price,
    sqrt_price_x96: seen.sqrtPriceX96,
    tick: seen.tick,
    liquidity: seen.liquidity,
  });
}

/** A swap of the pool that prices the native asset: ETH/USD from here on. */
export const ethUsdSwap: EventModule = {
  topic: swapTopic,
  role: "ethUsd",
  apply: (log, batch) => {
    const swap = decodeSwap(log);
    if (swap !== null) addEthUsd(batch, swap);
  },
};
