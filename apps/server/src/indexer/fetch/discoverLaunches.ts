import { launchedTopic } from "@slipway/protocol/launchedLog";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { World } from "../world.ts";
import { fetchLogs } from "./fetchLogs.ts";
import { launchesIn, type SeenLaunch } from "./launchesIn.ts";
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
  const logs = await fetchLogs(rpc, from, to, { address, topics: [[launchedTopic]] }, signal);
  return launchesIn(world, sortLogs(logs));
}
