import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { fetchLogs, type LogFilter, sortLogs } from "./fetchLogs.ts";
import { createRangeSize } from "./rangeSize.ts";

/** Blocks asked for first, and how far back is looked: what is looked for is usually minutes old. */
const firstStep = 50_000;
const searchDepth = 5_000_000;
/** Ranges asked for at once after the first, and in all: a launch waits for this, and all blocks behind it. */
const rangesAtOnce = 8;
const mostRanges = 100;

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
  let wasRefused = false;
  for (let asked = 0; to >= lowest && asked < mostRanges; ) {
    const ranges = rangesBack(to, lowest, size.next(), to === newest ? 1 : rangesAtOnce);
    asked += ranges.length;
    try {
      const answers = await Promise.all(ranges.map((range) => fetchLogs(rpc, range.from, range.to, filter, signal)));
      for (const [i, range] of ranges.entries()) {
        const found = answers[i]!.logs;
        for (const log of found) logs.push(log);
        if (found.some(isFirst)) return { logs: sortLogs(logs), isWhole: true };
        // What was refused once is not tried again: each try costs as much as a range.
        if (!wasRefused) size.accepted(range.to - range.from + 1, found.length);
      }
      to = ranges.at(-1)!.from - 1;
    } catch (error) {
      const blocks = ranges[0]!.to - ranges[0]!.from + 1;
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(blocks)) throw error;
      wasRefused = true;
    }
  }
  return { logs: sortLogs(logs), isWhole: lowest === 0 && to < lowest };
}

/** Up to `count` ranges of `size` blocks each, newest first, down to `lowest`. */
function rangesBack(newest: number, lowest: number, size: number, count: number): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (let to = newest; to >= lowest && ranges.length < count; to -= size) {
    ranges.push({ from: Math.max(lowest, to - size + 1), to });
  }
  return ranges;
}
