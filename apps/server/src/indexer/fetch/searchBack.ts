import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { fetchLogs, type LogFilter } from "./fetchLogs.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** Blocks asked for first, and how far back is looked: what is looked for is usually minutes old. */
const firstStep = 50_000;
const searchDepth = 5_000_000;

/**
 * Logs at or below a block, searched backwards until one is found that nothing can come before, such as a contract's
 * birth. `isWhole` is false when the search gave up.
 *
 * @throws RpcError
 */
export async function searchBack(
  rpc: RpcPool,
  newest: number,
  filter: LogFilter,
  isFirst: (log: RawLog) => boolean,
  signal?: AbortSignal,
): Promise<{ logs: RawLog[]; isWhole: boolean }> {
  const logs: RawLog[] = [];
  const size = createRangeSize(firstStep);
  const lowest = Math.max(0, newest - searchDepth);
  let to = newest;
  while (to >= lowest) {
    const from = Math.max(lowest, to - size.next() + 1);
    try {
      const found = (await fetchLogs(rpc, from, to, filter, signal)).logs;
      logs.push(...found);
      if (found.some(isFirst)) return { logs: sortLogs(logs), isWhole: true };
      size.accepted(to - from + 1, found.length);
      to = from - 1;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(to - from + 1)) throw error;
    }
  }
  return { logs: sortLogs(logs), isWhole: lowest === 0 };
}
