import { launchedTopic } from "@slipway/protocol/launchedLog";
import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { World } from "../world.ts";
import { fetchLogs } from "./fetchLogs.ts";
import { launchesIn, type SeenLaunch } from "./launchesIn.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** All launches of a long range, so that its parts can be fetched side by side. @throws RpcError */
export async function discoverLaunches(
  rpc: RpcPool,
  world: World,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<SeenLaunch[]> {
  const address = world.sources.deployments.map((deployment) => deployment.launchFactory);
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
  return launchesIn(world, sortLogs(logs));
}
