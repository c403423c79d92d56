import { plausibleEthUsd, priceFromSqrtX96 } from "@slipway/protocol/price";
import { decodeInitialize, decodeSwap, initializeTopic, swapTopic } from "@slipway/protocol/swapLog";
import { readEthUsd } from "../../pricing/queries.ts";
import { type Batch, getRows } from "../reduce/batch.ts";
import { createEthUsdPrices } from "../reduce/ethUsdPrices.ts";
import type { EthUsdSource } from "../sources.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

/** A price of the native asset in USD, and the state of the ETH/USD pool at that price. */
export type EthUsdRow = {
  block_number: number;
  /** -1 for the price at the start of the index, which no indexed log contains. */
  log_index: number;
  block_time: number;
  price: number;
  sqrt_price_x96: bigint;
  tick: number;
  /** Liquidity in range after the swap; null for an initialization, because later deposits are not indexed. */
  liquidity: bigint | null;
};

/** The state of the ETH/USD pool after a log. */
export type EthUsdPool = Pick<EthUsdRow, "liquidity" | "tick"> & { sqrtPriceX96: bigint };

/** Stores only the last price of each block: no reader needs ETH/USD between two logs of one block. */
export const ethUsdTable = createEventTable<EthUsdRow>("eth_usd", [
  "block_number",
  "log_index",
  "block_time",
  "price",
  "sqrt_price_x96",
  "tick",
  "liquidity",
]);

/** Converts a square-root price of the ETH/USD pool to USD per whole native; null when the value is not plausible. */
export function toEthUsd(source: EthUsdSource, sqrtPriceX96: bigint): number | null {
  return plausibleEthUsd(priceFromSqrtX96(sqrtPriceX96, source.nativeIsToken0, source.decimals0, source.decimals1));
}

/** A swap of the ETH/USD pool is an observation of its price. */
export const ethUsdSwap: EventModule = {
  topic: swapTopic,
  role: "ethUsd",
  tables: [ethUsdTable],
  apply: (log, batch) => {
    const swap = decodeSwap(log);
    if (swap !== null) addEthUsd(batch, swap);
  },
  load: async (db, state) => {
    state.ethUsd = createEthUsdPrices((await readEthUsd(db))?.observations ?? []);
  },
};

/** The initialization of the ETH/USD pool is the first observation, if the pool is newer than our contracts. */
export const ethUsdInitialize: EventModule = {
  topic: initializeTopic,
  role: "ethUsd",
  tables: [ethUsdTable],
  apply: (log, batch) => {
    const first = decodeInitialize(log);
    if (first !== null) addEthUsd(batch, { ...first, liquidity: null });
  },
};

/** Adds an observation of the ETH/USD pool. Ignores a price that is not plausible. */
function addEthUsd(batch: Batch, pool: EthUsdPool): void {
  const { at, state } = batch;
  const price = toEthUsd(state.sources.ethUsd!, pool.sqrtPriceX96);
  if (price === null) return;
  state.ethUsd.add({ block_number: at.blockNumber, block_time: at.blockTime, price });
  const rows = getRows(batch, ethUsdTable);
  if (rows.at(-1)?.block_number === at.blockNumber) rows.pop();
  rows.push({
    block_number: at.blockNumber,
    log_index: at.logIndex,
    block_time: at.blockTime,
    price,
    sqrt_price_x96: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
  });
}
