import type { RawLog } from "@slipway/protocol/rawLog";
import { decodeInitialize, decodeSwap, initializeTopic, swapTopic } from "@slipway/protocol/swapLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { type EthUsdPool, type EthUsdRow, toEthUsd } from "../events/ethUsd.ts";
import type { EthUsdSource } from "../sources.ts";
import { fetchLogs } from "./fetchLogs.ts";
import type { Header } from "./headers.ts";
import { sortLogs } from "./readLogs.ts";

/** Maximum requests of a search. A pool without a swap in that many ranges has no useful price. */
const maxRequests = 200;

/**
 * Fetches ETH/USD at the end of a block from the pool's last log at or before the block; null without such a log. Reads
 * logs instead of state, because every node keeps all logs but not all old state: a later rebuild gets the same price.
 */
export async function fetchFirstEthUsd(rpc: RpcPool, source: EthUsdSource, at: Header): Promise<EthUsdRow | null> {
  const filter = { address: source.pool, topics: [[swapTopic, initializeTopic]] };
  let to = at.number;
  let size = 1_000_000_000;
  for (let request = 0; request < maxRequests && to >= 0; request++) {
    const from = Math.max(0, to - size + 1);
    try {
      const { logs } = await fetchLogs(rpc, from, to, filter);
      const log = sortLogs(logs).at(-1);
      const price = log === undefined ? null : readPrice(log);
      if (price === null) {
        to = from - 1;
        continue;
      }
      const usd = toEthUsd(source, price.sqrtPriceX96);
      if (usd === null) return null;
      return {
        block_number: at.number,
        log_index: -1,
        block_time: at.time,
        price: usd,
        sqrt_price_x96: price.sqrtPriceX96,
        tick: price.tick,
        liquidity: price.liquidity,
      };
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "range" || size === 1) throw error;
      size = Math.max(1, Math.floor(Math.min(size, to + 1) / 10));
    }
  }
  return null;
}

function readPrice(log: RawLog): EthUsdPool | null {
  if (log.topics[0] === swapTopic) return decodeSwap(log);
  const first = decodeInitialize(log);
  return first && { ...first, liquidity: null };
}
