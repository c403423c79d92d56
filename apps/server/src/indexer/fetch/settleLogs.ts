import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import type { LogFilter } from "./fetchLogs.ts";
import { readHeader, toQuantity } from "./header.ts";

/**
 * The logs of a range of which two nodes gave their answers. Blocks about which they say different things are read from
 * their receipts, which prove themselves complete (fetchBlockLogs).
 *
 * @throws RpcError
 */
export async function settleLogs(
  rpc: RpcPool,
  first: readonly RawLog[],
  second: readonly RawLog[],
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<RawLog[]> {
  const disputed = disputedBlocks(first, second);
  if (disputed.size === 0) return [...first];
  const calls = [...disputed].map((block) => ({ method: "eth_getBlockByNumber", params: [toQuantity(block), false] }));
  const headers = (await rpc.batch(calls, { signal })).map((answer) => {
    const header = readHeader(answer);
    if (header === null) throw new RpcError("transient", "RPC: a final block is not there");
    return header;
  });
  const settled = (await fetchBlockLogs(rpc, headers, signal)).flatMap((block) => block.logs);
  const isAsked = matcher(filter);
  return [...first.filter((log) => !disputed.has(Number(log.blockNumber))), ...settled.filter(isAsked)];
}

/** Blocks of which one answer has a log that the other has not. */
function disputedBlocks(first: readonly RawLog[], second: readonly RawLog[]): Set<number> {
  const disputed = new Set<number>();
  const placeOf = (log: RawLog) => `${log.blockHash}${Number(log.logIndex)}`;
  const [inFirst, inSecond] = [new Set(first.map(placeOf)), new Set(second.map(placeOf))];
  for (const log of first) if (!inSecond.has(placeOf(log))) disputed.add(Number(log.blockNumber));
  for (const log of second) if (!inFirst.has(placeOf(log))) disputed.add(Number(log.blockNumber));
  return disputed;
}

/** Whether eth_getLogs would give this log: by address and first topic, all that our filters ask for. */
function matcher(filter: LogFilter): (log: RawLog) => boolean {
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat());
  const topics = [filter.topics?.[0] ?? []].flat();
  return (log) =>
    (addresses === null || addresses.has(log.address)) && (topics.length === 0 || topics.includes(log.topics[0] ?? ""));
}
