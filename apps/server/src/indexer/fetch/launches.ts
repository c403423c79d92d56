import { decodeLaunched, type Launched, launchedTopic } from "@slipway/protocol/launchedLog";
import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { IndexState } from "../indexState.ts";
import { fetchLogs, sortLogs } from "./fetchLogs.ts";
import { createRangeSize } from "./rangeSize.ts";

/** All launches of a long range, so that its parts can be fetched side by side. @throws RpcError */
export async function fetchLaunches(
  rpc: RpcPool,
  state: IndexState,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<SeenLaunch[]> {
  const address = state.sources.deployments.map((deployment) => deployment.launchFactory);
  const filter = { address, topics: [[launchedTopic]] };
  const logs: RawLog[] = [];
  // Launches are few: all at once where the node takes it.
  const size = createRangeSize(to - from + 1);
  let next = from;
  while (next <= to) {
    const end = Math.min(to, next + size.next() - 1);
    try {
      const found = (await fetchLogs(rpc, next, end, filter, signal)).logs;
      size.accepted(end - next + 1, found.length);
      for (const log of found) logs.push(log);
      next = end + 1;
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== "range" || !size.refused(end - next + 1)) throw error;
    }
  }
  return parseLaunches(state, sortLogs(logs));
}

/** A launch seen in fetched logs, not reduced yet. */
export type SeenLaunch = Launched & { blockNumber: number };

/** Launches of our factories among raw logs, in their order. A look-alike at another address is none. */
export function parseLaunches(state: IndexState, logs: readonly RawLog[]): SeenLaunch[] {
  const launches: SeenLaunch[] = [];
  for (const log of logs) {
    if (log.topics[0] !== launchedTopic || state.emitters.get(log.address)?.factory === undefined) continue;
    const launch = decodeLaunched(log);
    if (launch) launches.push({ ...launch, blockNumber: Number(log.blockNumber) });
  }
  return launches;
}
