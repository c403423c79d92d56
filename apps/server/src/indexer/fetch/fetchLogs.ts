import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, RpcPool } from "../../chain/rpcPool.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import { type Header, readHeader, toQuantity } from "./headers.ts";
import { readLogs } from "./readLogs.ts";

export type LogFilter = {
  address?: string | readonly string[];
  topics?: readonly (string | readonly string[] | null)[];
};

/** Maximum addresses in one filter; more addresses need several requests. */
const maxAddresses = 1000;
/** A node that is more than this number of blocks behind is still syncing. */
const maxLagBlocks = 1_000;

/** The logs and the last block of a range from one answer of one node, and the number of calls. */
export type RangeAnswer = { logs: RawLog[]; end: Header; calls: number };

/**
 * The logs of a range, the endpoints that returned them (one or two), and the number of blocks on which the endpoints
 * differed. Receipts decided those blocks.
 */
export type LogsOfRange = RangeAnswer & { answeredBy: number[]; differing: number };

/**
 * Fetches the logs of a range by eth_getLogs. If another endpoint is available, requests the logs from both, and reads
 * blocks on which they differ from receipts: a node whose log index has a hole omits logs without an error.
 *
 * @throws RpcError range when a node rejects the size. The caller then requests smaller ranges.
 */
export async function fetchLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  signal?: AbortSignal,
): Promise<LogsOfRange> {
  let answeredBy = 0;
  const onAnswer = (endpoint: number) => {
    answeredBy = endpoint;
  };
  const first = await requestLogs(rpc, from, to, filter, { signal, onAnswer });
  if (first === null) throw new RpcError("transient", `RPC: block ${to} is missing`);
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return { ...first, answeredBy: [answeredBy], differing: 0 };
  const second = await requestLogs(rpc, from, to, filter, { signal, endpoint: other });
  if (second === null) {
    if (await isSyncing(rpc, other, to, signal)) return { ...first, answeredBy: [answeredBy], differing: 0 };
    throw new RpcError("transient", `RPC: endpoint ${other} does not have block ${to} yet`);
  }
  if (second.end.hash !== first.end.hash) throw new RpcError("transient", `RPC: nodes disagree about block ${to}`);
  const differing = findDifferingBlocks(first.logs, second.logs);
  const logs = await resolveDifferences(rpc, first.logs, differing, filter, { signal });
  const calls = first.calls + second.calls;
  return { ...first, logs, calls, answeredBy: [answeredBy, other], differing: differing.size };
}

/** Whether an endpoint is still syncing. The caller then continues without its answer. */
async function isSyncing(rpc: RpcPool, endpoint: number, block: number, signal?: AbortSignal): Promise<boolean> {
  const [answer] = await rpc.batch([{ method: "eth_getBlockByNumber", params: ["latest", false] }], {
    signal,
    endpoint,
  });
  const head = readHeader(answer!);
  return head === null || head.number < block - maxLagBlocks;
}

/**
 * Requests logs from one node; null when the node does not have the range's last block. The same request reads that
 * block, because a lagging node returns partial logs without an error. An answer with a log outside the range is
 * malformed.
 */
export async function requestLogs(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  options: BatchOptions,
): Promise<RangeAnswer | null> {
  const { address } = filter;
  const chunks: LogFilter["address"][] =
    Array.isArray(address) && address.length > maxAddresses
      ? Array.from({ length: Math.ceil(address.length / maxAddresses) }, (_, i) =>
          address.slice(i * maxAddresses, (i + 1) * maxAddresses),
        )
      : [address];
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const [last, ...answers] = await rpc.batch(
    [
      { method: "eth_getBlockByNumber", params: [range.toBlock, false] },
      ...chunks.map((chunk) => ({ method: "eth_getLogs", params: [{ ...range, ...filter, address: chunk }] })),
    ],
    options,
  );
  const end = readHeader(last!);
  if (end?.number !== to) return null;
  const logs = answers.flatMap((answer) => readLogs(answer));
  for (const log of logs) {
    const block = Number(log.blockNumber);
    if (!(block >= from && block <= to))
      throw new RpcError("malformed", "RPC: a log is outside of the requested range");
    if (block === to && log.blockHash !== end.hash) throw new RpcError("transient", `RPC: block ${to} was replaced`);
  }
  return { logs, end, calls: chunks.length + 1 };
}

/**
 * Returns a node's logs of a range. Replaces the logs of differing blocks by logs from receipts, whose completeness can
 * be checked (fetchBlockLogs).
 *
 * @param options.endpoint - The endpoint whose receipts count; otherwise the healthiest.
 * @throws RpcError
 */
export async function resolveDifferences(
  rpc: RpcPool,
  first: readonly RawLog[],
  differing: ReadonlySet<number>,
  filter: LogFilter,
  options: BatchOptions,
): Promise<RawLog[]> {
  if (differing.size === 0) return [...first];
  const calls = [...differing].map((block) => ({ method: "eth_getBlockByNumber", params: [toQuantity(block), false] }));
  const headers = (await rpc.batch(calls, options)).map((answer) => {
    const header = readHeader(answer);
    if (header === null) throw new RpcError("transient", "RPC: a final block is missing");
    return header;
  });
  const complete = (await fetchBlockLogs(rpc, headers, options)).flatMap((block) => block.logs);
  const isAsked = createMatcher(filter);
  return [...first.filter((log) => !differing.has(Number(log.blockNumber))), ...complete.filter(isAsked)];
}

/** Returns the blocks for which one answer has a log that the other answer does not have. */
export function findDifferingBlocks(first: readonly RawLog[], second: readonly RawLog[]): Set<number> {
  const differing = new Set<number>();
  const getPosition = (log: RawLog) => `${log.blockHash}${Number(log.logIndex)}`;
  const inFirst = new Set(first.map(getPosition));
  const inSecond = new Set(second.map(getPosition));
  for (const log of first) if (!inSecond.has(getPosition(log))) differing.add(Number(log.blockNumber));
  for (const log of second) if (!inFirst.has(getPosition(log))) differing.add(Number(log.blockNumber));
  return differing;
}

/** Creates a function that returns whether a log matches a filter of eth_getLogs. */
function createMatcher(filter: LogFilter): (log: RawLog) => boolean {
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat());
  const topics = (filter.topics ?? []).map((wanted) => (wanted === null ? [] : [wanted].flat()));
  return (log) =>
    (addresses === null || addresses.has(log.address)) &&
    topics.every((wanted, i) => wanted.length === 0 || wanted.includes(log.topics[i] ?? ""));
}
