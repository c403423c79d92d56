import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { Raw } from "../../chain/rpcPool.ts";
import { getBlockNumber } from "./getBlockNumber.ts";

/**
 * Checks that an answer is a list of mined logs, and returns the logs with lower-case addresses.
 *
 * @throws RpcError malformed, also for a `removed` or pending log.
 */
export function readLogs(raw: Raw<unknown>): RawLog[] {
  if (!Array.isArray(raw)) throw new RpcError("malformed", "RPC: logs are not a list");
  for (const entry of raw as (Partial<RawLog> & { removed?: boolean })[]) {
    if (
      typeof entry !== "object" ||
      entry === null ||
      typeof entry.address !== "string" ||
      typeof entry.data !== "string" ||
      !Array.isArray(entry.topics) ||
      typeof entry.blockNumber !== "string" ||
      typeof entry.blockHash !== "string" ||
      typeof entry.transactionHash !== "string" ||
      typeof entry.logIndex !== "string" ||
      entry.removed === true
    ) {
      throw new RpcError("malformed", "RPC: malformed log");
    }
    entry.address = entry.address.toLowerCase();
  }
  return raw as RawLog[];
}

/** Sorts logs into chain order and drops duplicates of a position. */
export function sortLogs(logs: RawLog[]): RawLog[] {
  // Most nodes send logs in chain order.
  if (areInOrder(logs)) return logs;
  const keyed = logs.map((log) => ({ log, block: getBlockNumber(log), index: Number(log.logIndex) }));
  keyed.sort((a, b) => a.block - b.block || a.index - b.index);
  const unique: RawLog[] = [];
  let previous: { block: number; index: number } | undefined;
  for (const entry of keyed) {
    if (previous && previous.block === entry.block && previous.index === entry.index) continue;
    unique.push(entry.log);
    previous = entry;
  }
  return unique;
}

function areInOrder(logs: readonly RawLog[]): boolean {
  let [lastBlock, lastIndex] = [-1, -1];
  for (const log of logs) {
    const block = getBlockNumber(log);
    const index = Number(log.logIndex);
    // Also false for NaN.
    if (!(block > lastBlock || (block === lastBlock && index > lastIndex))) return false;
    lastBlock = block;
    lastIndex = index;
  }
  return true;
}
