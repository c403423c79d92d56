import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, RpcPool } from "../../chain/rpcPool.ts";
import type { IndexState } from "../indexState.ts";
import { findDifferingBlocks, type LogFilter, requestLogs, resolveDifferences } from "./fetchLogs.ts";
import { createRangeSize, type RangeSize } from "./rangeSize.ts";

/** Blocks whose receipts are read at most to decide between two endpoints: one could make up logs of any number. */
const maxDifferingBlocks = 1_000;

/** Logs that one endpoint has returned so far for a range requested in parts. */
export type PartialRange = { from: number; to: number; next: number; logs: number; size: RangeSize };

export function startPartialRange({ from, to }: { from: number; to: number }): PartialRange {
  return { from, to, next: from, logs: 0, size: createRangeSize(to - from + 1) };
}

/** The filter with which a range of final blocks was fetched: launches after it were not known. */
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
  return { address: [...address], topics: [topics] };
}

/**
 * Counts the logs of the next part of a range by one endpoint.
 *
 * @returns The calls that it took.
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
    const logs = toPositions(answer.logs).size;
    range.size.accepted(blocks, logs);
    range.logs += logs;
    range.next = end + 1;
    return answer.calls;
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== "range" || !range.size.refused(blocks)) throw error;
    return 2;
  }
}

/** Result of comparing two endpoints' logs of a range. */
export type Comparison = {
  /** Its logs: those on which they agree, and by receipts where they do not. */
  logs: number;
  /** Those of them that both returned, by eth_getLogs or in receipts: no endpoint alone can add to these. */
  common: number;
  endpoints: [number, number];
};

/**
 * Compares an endpoint's logs of a range with those of another one, the first that answers. On blocks where they differ,
 * the receipts of the one that returned fewer decide. Null when no other endpoint answers, or nothing decides.
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
      const decided = toPositions(await resolveDifferences(rpc, first, differing, filter, { endpoint: fewer, signal }));
      const common = decided.intersection(toPositions(more)).size;
      return { logs: decided.size, common, endpoints: [endpoint, other] };
    } catch (error) {
      // This endpoint does not answer or has no receipts: tries the next endpoint.
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

/** A node may send a log twice. */
function toPositions(logs: readonly RawLog[]): Set<string> {
  return new Set(logs.map((log) => `${log.blockHash}${Number(log.logIndex)}`));
}
