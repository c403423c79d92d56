import { decodeLaunched, launchedTopic } from "@slipway/protocol/launchedLog";
import { decodeOpeningCreated, openingCreatedTopic } from "@slipway/protocol/openingLogs";
import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { EmitterRole, IndexState } from "../indexState.ts";
import { fetchLogs } from "./fetchLogs.ts";
import type { FetchedLaunch } from "./fetchPreLaunchStates.ts";
import { createRangeSize } from "./rangeSize.ts";
import { sortLogs } from "./readLogs.ts";

/** An event of a factory in fetched logs, not reduced yet. Its contracts are emitters from its block on. */
export type FactoryEvent = {
  blockNumber: number;
  contracts: readonly { address: string; role: EmitterRole }[];
  /** The launch; null for the creation of an opening. */
  launch: FetchedLaunch | null;
};

/** Fetches all events of our factories in a long range, so that its parts can be fetched in parallel. @throws RpcError */
export async function fetchFactoryEvents(
  rpc: RpcPool,
  state: IndexState,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<FactoryEvent[]> {
  const { deployments, openingFactories } = state.sources;
  const address = [...deployments.map(({ launchFactory }) => launchFactory), ...openingFactories];
  const filter = { address, topics: [[launchedTopic, openingCreatedTopic]] };
  const logs: RawLog[] = [];
  // Such events are few: requests the whole range at once if the node accepts the size.
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
  return parseFactoryEvents(state, sortLogs(logs));
}

/** Parses the events of our factories from raw logs, in the order of the logs. Ignores logs of other addresses. */
export function parseFactoryEvents(state: IndexState, logs: readonly RawLog[]): FactoryEvent[] {
  const events: FactoryEvent[] = [];
  for (const log of logs) {
    const topic = log.topics[0];
    // Nearly all logs: without the search for the emitter, which hashes the address.
    if (topic !== launchedTopic && topic !== openingCreatedTopic) continue;
    const emitter = state.emitters.get(log.address);
    const isLaunch = topic === launchedTopic && emitter?.factory !== undefined;
    const isOpening = topic === openingCreatedTopic && emitter?.openingFactory !== undefined;
    const event = isLaunch ? parseLaunch(log) : isOpening ? parseOpening(log) : null;
    if (event !== null) events.push(event);
  }
  return events;
}

function parseLaunch(log: RawLog): FactoryEvent | null {
  const launched = decodeLaunched(log);
  if (launched === null) return null;
  const blockNumber = Number(log.blockNumber);
  const { token, pool, splitter } = launched;
  const contracts = [
    { address: token, role: "token" as const },
    { address: pool, role: "pool" as const },
    { address: splitter, role: "splitter" as const },
  ];
  return { blockNumber, contracts, launch: { ...launched, blockNumber } };
}

function parseOpening(log: RawLog): FactoryEvent | null {
  const created = decodeOpeningCreated(log);
  if (created === null) return null;
  const contracts = [{ address: created.opening, role: "opening" as const }];
  return { blockNumber: Number(log.blockNumber), contracts, launch: null };
}

/** Returns the launches among events of factories. */
export const listLaunches = (events: readonly FactoryEvent[]): FetchedLaunch[] =>
  events.flatMap(({ launch }) => launch ?? []);
