import { createHash, type Hash } from "node:crypto";
import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, RpcPool } from "../../chain/rpcPool.ts";
import type { IndexState } from "../indexState.ts";
import { addToDigest, digestLogs } from "./digestLogs.ts";
import { findDifferingBlocks, type LogFilter, requestLogs, resolveDifferences } from "./fetchLogs.ts";
import { createRangeSize, type RangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** Maximum blocks whose receipts are read to decide between two endpoints, since an endpoint can return any logs. */
const maxDifferingBlocks = 1_000;

/** Progress of a range that is requested in parts: the next block, and the number and digest of the logs so far. */
export type PartialRange = { from: number; to: number; next: number; logs: number; digest: Hash; size: RangeSize };

export function startPartialRange({ from, to }: { from: number; to: number }): PartialRange {
  return { from, to, next: from, logs: 0, digest: createHash("sha256"), size: createRangeSize(to - from + 1) };
}

/** Creates the filter with which a range of final blocks was fetched, without launches and openings after the range. */
export function createLaunchFilter(state: IndexState, topics: readonly string[], to: number): LogFilter {
  const address = new Set<string>();
  for (const deployment of state.sources.deployments) {
    address.add(deployment.launchFactory);
    address.add(deployment.feeLocker);
  }
  if (state.sources.ethUsd !== null) address.add(state.sources.ethUsd.pool);
  for (const token of state.tokens.values()) {
    if (token.launchBlock > to) continue;
    for (const emitter of [token.address, token.pool, token.splitter]) address.add(emitter);
  }
  for (const factory of state.sources.openingFactories) address.add(factory);
  for (const opening of state.openings.values()) if (opening.block <= to) address.add(opening.address);
  return { address: [...address], topics: [topics] };
}

/**
 * Counts the logs of the next part of a range at one endpoint, and adds them to the digest.
 *
 * @returns The number of calls.
 * @throws RpcError transient when the endpoint does not have the range.
 */
export async function countNextPart(
  rpc: RpcPool,
  range: PartialRange,
  filter: LogFilter,
  options: BatchOptions,
): Promise<number> {
  const end = Math.min(range.to, range.next + range.size.next() - 1);
  const blocks = end - range.next + 1;
  try {
    const answer = await requestLogs(rpc, range.next, end, filter, options);
    if (answer === null) throw new RpcError("transient", `RPC: block ${end} is missing`);
    const logs = sortLogs(answer.logs);
    range.size.accepted(blocks, logs.length);
    range.logs += logs.length;
    addToDigest(range.digest, logs);
    range.next = end + 1;
    return answer.calls;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== "range" || !range.size.refused(blocks)) throw error;
    return 2;
  }
}

/** Result of comparing two endpoints' logs of a range. */
export type Comparison = {
  /** Number of logs of the range. Receipts decide blocks on which the endpoints differ. */
  logs: number;
  /** Digest of these logs. */
  digest: string;
  /** Number of logs that both endpoints returned, by eth_getLogs or in receipts. One endpoint cannot increase it. */
  common: number;
  endpoints: [number, number];
};

/**
 * Compares an endpoint's logs of a range with the logs of the first other endpoint that answers. For blocks on which
 * they differ, receipts from the endpoint with fewer logs decide. Returns null if no other endpoint answers or no
 * receipts decide.
 */
export async function compareEndpoints(
  rpc: RpcPool,
  { from, to }: { from: number; to: number },
  filter: LogFilter,
  endpoint: number,
  signal: AbortSignal,
): Promise<Comparison | null> {
  const first = await readWholeRange(rpc, from, to, filter, { endpoint, signal });
  for (const other of rpc.listHealthy()) {
    if (other === endpoint) continue;
    try {
      const second = await readWholeRange(rpc, from, to, filter, { endpoint: other, signal });
      const differing = findDifferingBlocks(first, second);
      if (differing.size > maxDifferingBlocks) continue;
      const [fewer, more] = second.length < first.length ? [other, first] : [endpoint, second];
      const decided = sortLogs(await resolveDifferences(rpc, first, differing, filter, { endpoint: fewer, signal }));
      const common = toPositions(decided).intersection(toPositions(more)).size;
      return { logs: decided.length, digest: digestLogs(decided), common, endpoints: [endpoint, other] };
    } catch (error) {
      // Tries the next endpoint if this endpoint does not answer or has no receipts.
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return null;
}

/** An endpoint that has the same logs as the index or as the endpoint of the check. */
export type Vote = { agreesWith: "index" | "check"; endpoint: number };

/**
 * Searches another endpoint that decides about a range of which the index and the endpoint of a check have different
 * logs: equal in number, so that no bloom decides. Null if no endpoint decides.
 *
 * @param check - The endpoint of the check, and the digest of its logs.
 */
export async function findVote(
  rpc: RpcPool,
  range: { from: number; to: number; digest: string | null; host: string },
  filter: LogFilter,
  check: { endpoint: number; digest: string },
  signal: AbortSignal,
): Promise<Vote | null> {
  const indexedBy = range.host.split(",");
  for (const endpoint of rpc.listHealthy()) {
    const host = rpc.host(endpoint);
    if (host === rpc.host(check.endpoint)) continue;
    try {
      const digest = digestLogs(
        sortLogs(await readWholeRange(rpc, range.from, range.to, filter, { endpoint, signal })),
      );
      if (digest === check.digest) return { agreesWith: "check", endpoint };
      // An endpoint that repeats its own logs adds no vote.
      if (digest === range.digest && !indexedBy.includes(host)) return { agreesWith: "index", endpoint };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
  return null;
}

async function readWholeRange(
  rpc: RpcPool,
  from: number,
  to: number,
  filter: LogFilter,
  options: BatchOptions,
): Promise<RawLog[]> {
  const size = createRangeSize(to - from + 1);
  const logs: RawLog[] = [];
  for (let next = from; next <= to; ) {
    const end = Math.min(to, next + size.next() - 1);
    try {
      const answer = await requestLogs(rpc, next, end, filter, options);
      if (answer === null) throw new RpcError("transient", `RPC: block ${end} is missing`);
      for (const log of answer.logs) logs.push(log);
      size.accepted(end - next + 1, answer.logs.length);
      next = end + 1;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(end - next + 1)) throw error;
    }
  }
  return logs;
}

/** Returns the positions of logs without duplicates: a node may send a log twice. */
function toPositions(logs: readonly RawLog[]): Set<string> {
  return new Set(logs.map((log) => `${log.blockHash}${Number(log.logIndex)}`));
}
