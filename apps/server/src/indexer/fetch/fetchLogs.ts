import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, RpcPool } from "../../chain/rpcPool.ts";
import { equalContents } from "./digestLogs.ts";
import { fetchBlockLogs } from "./fetchBlockLogs.ts";
import { getBlockNumber } from "./getBlockNumber.ts";
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
 * differed. Receipts decided those blocks. If the endpoints returned a log with different contents, a third endpoint
 * decides; without a decision `answeredBy` is the first endpoint and `contradictedBy` is the other one.
 */
export type LogsOfRange = RangeAnswer & { answeredBy: number[]; differing: number; contradictedBy: number | null };

/** One endpoint's logs of a range. */
type EndpointLogs = { endpoint: number; logs: readonly RawLog[] };

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
  const alone = { ...first, answeredBy: [answeredBy], differing: 0, contradictedBy: null };
  const other = rpc.endpoints === 1 ? null : rpc.other(answeredBy);
  if (other === null) return alone;
  const second = await requestLogs(rpc, from, to, filter, { signal, endpoint: other });
  if (second === null) {
    if (await isSyncing(rpc, other, to, signal)) return alone;
    throw new RpcError("transient", `RPC: endpoint ${other} does not have block ${to} yet`);
  }
  if (second.end.hash !== first.end.hash) throw new RpcError("transient", `RPC: nodes disagree about block ${to}`);
  const calls = first.calls + second.calls;
  const pair = [
    { endpoint: answeredBy, logs: first.logs },
    { endpoint: other, logs: second.logs },
  ] as const;
  const merged = await mergeLogs(rpc, pair[0], pair[1], filter, { signal });
  if (merged.isAgreed) return { ...first, ...merged, calls, answeredBy: [answeredBy, other], contradictedBy: null };
  for (const third of rpc.listHealthy()) {
    if (third === answeredBy || third === other) continue;
    const answer = await requestLogs(rpc, from, to, filter, { signal, endpoint: third }).catch((error: unknown) => {
      if (error instanceof RpcError) return null;
      throw error;
    });
    if (answer === null || answer.end.hash !== first.end.hash) continue;
    for (const one of pair) {
      const options = { signal, endpoint: one.endpoint };
      const { isAgreed, logs } = await mergeLogs(rpc, one, { endpoint: third, logs: answer.logs }, filter, options);
      const { differing } = merged;
      if (isAgreed)
        return { ...first, logs, differing, calls, answeredBy: [one.endpoint, third], contradictedBy: null };
    }
  }
  return { ...first, ...merged, calls, answeredBy: [answeredBy], contradictedBy: other };
}

/**
 * Merges two endpoints' logs of a range: receipts decide the blocks on which they differ.
 *
 * @returns isAgreed: whether all logs have the contents that each endpoint returned, if it returned them.
 */
async function mergeLogs(
  rpc: RpcPool,
  first: EndpointLogs,
  second: EndpointLogs,
  filter: LogFilter,
  options: BatchOptions,
): Promise<{ logs: RawLog[]; differing: number; isAgreed: boolean }> {
  const missing = findDifferingBlocks(first.logs, second.logs);
  const logs = await resolveDifferences(rpc, first.logs, missing, filter, options);
  const changed = findChangedBlocks(logs, first.logs).union(findChangedBlocks(logs, second.logs));
  return { logs, differing: missing.union(changed).size, isAgreed: changed.size === 0 };
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
    const block = getBlockNumber(log);
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
  return [...first.filter((log) => !differing.has(getBlockNumber(log))), ...complete.filter(isAsked)];
}

/** Returns the blocks for which one answer has a log that the other answer does not have. */
export function findDifferingBlocks(first: readonly RawLog[], second: readonly RawLog[]): Set<number> {
  const differing = new Set<number>();
  const inFirst = new Set(first.map(toPosition));
  const inSecond = new Set(second.map(toPosition));
  for (const log of first) if (!inSecond.has(toPosition(log))) differing.add(getBlockNumber(log));
  for (const log of second) if (!inFirst.has(toPosition(log))) differing.add(getBlockNumber(log));
  return differing;
}

/** Returns the blocks for which two answers have a log at the same position with different contents. */
function findChangedBlocks(first: readonly RawLog[], second: readonly RawLog[]): Set<number> {
  const changed = new Set<number>();
  if (first === second) return changed;
  const byPosition = new Map(first.map((log) => [toPosition(log), log]));
  for (const log of second) {
    const other = byPosition.get(toPosition(log));
    if (other !== undefined && !equalContents(log, other)) changed.add(getBlockNumber(log));
  }
  return changed;
}

function toPosition(log: RawLog): string {
  return `${log.blockHash}${Number(log.logIndex)}`;
}

/** Creates a function that returns whether a log matches a filter of eth_getLogs. */
function createMatcher(filter: LogFilter): (log: RawLog) => boolean {
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat());
  const topics = (filter.topics ?? []).map((wanted) => (wanted === null ? [] : [wanted].flat()));
  return (log) =>
    (addresses === null || addresses.has(log.address)) &&
    topics.every((wanted, i) => wanted.length === 0 || wanted.includes(log.topics[i] ?? ""));
}
