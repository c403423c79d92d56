import { decodeLaunched, type Launched, launchedTopic } from "@slipway/protocol/launchedLog";
import type { RawLog } from "@slipway/protocol/rawLog";
import type { World } from "../world.ts";

/** A launch seen in fetched logs, not reduced yet. */
export type SeenLaunch = Launched & { blockNumber: number };

/** Launches of our factories among raw logs, in their order. A look-alike at another address is none. */
export function launchesIn(world: World, logs: readonly RawLog[]): SeenLaunch[] {
  const launches: SeenLaunch[] = [];
  for (const log of logs) {
    if (log.topics[0] !== launchedTopic || world.emitters.get(log.address)?.factory === undefined) continue;
    const launch = decodeLaunched(log);
    if (launch) launches.push({ ...launch, blockNumber: Number(log.blockNumber) });
  }
  return launches;
}
