import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { fetchLogs, type LogFilter } from "./fetchLogs.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** Blocks of the first range, and maximum blocks of the search. The wanted logs are usually minutes old. */
const firstRangeBlocks = 50_000;
const maxSearchBlocks = 5_000_000;
/** Ranges requested together after the first, and maximum ranges: indexing waits for the search. */
const concurrency = 8;
const maxRanges = 100;

/**
 * Searches backwards from a block for logs of any of the filters, until `isFirst` matches the earliest possible log,
 * such as the event of a contract's creation. `isComplete` is false when the search ended without that log and did not
 * reach the first block.
 *
 * @throws RpcError
 */
export async function searchBack(
  rpc: RpcPool,
  newest: number,
  filters: readonly LogFilter[],
  isFirst: (log: RawLog) => boolean,
  signal?: AbortSignal,
): Promise<{ logs: RawLog[]; isComplete: boolean }> {
  const logs: RawLog[] = [];
  const size = createRangeSize(firstRangeBlocks);
  const lowest = Math.max(0, newest - maxSearchBlocks);
  let to = newest;
  let wasRefused = false;
  for (let asked = 0; to >= lowest && asked < maxRanges; ) {
    const ranges = listRangesBack(to, lowest, size.next(), to === newest ? 1 : concurrency);
    asked += ranges.length;
    try {
      const answers = await Promise.all(
        ranges.map(({ from, to: last }) =>
          Promise.all(filters.map((filter) => fetchLogs(rpc, from, last, filter, signal))),
        ),
      );
      for (const [i, range] of ranges.entries()) {
        const found = answers[i]!.flatMap((answer) => answer.logs);
        for (const log of found) logs.push(log);
        if (found.some(isFirst)) return { logs: sortLogs(logs), isComplete: true };
        // Does not grow after a rejection, because another rejection costs as much as a range.
        if (!wasRefused) size.accepted(range.to - range.from + 1, found.length);
      }
      to = ranges.at(-1)!.from - 1;
    } catch (error) {
      const blocks = ranges[0]!.to - ranges[0]!.from + 1;
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(blocks)) throw error;
      wasRefused = true;
    }
  }
  return { logs: sortLogs(logs), isComplete: lowest === 0 && to < lowest };
}

/** Lists up to `count` ranges of `size` blocks each, newest first, down to `lowest`. */
function listRangesBack(newest: number, lowest: number, size: number, count: number): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (let to = newest; to >= lowest && ranges.length < count; to -= size) {
    ranges.push({ from: Math.max(lowest, to - size + 1), to });
  }
  return ranges;
}
