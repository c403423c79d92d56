import type { RawLog } from "@slipway/protocol/rawLog";
import { eventsByTopic } from "../events/allEvents.ts";
import { launched } from "../events/launched.ts";
import type { Batch } from "./batch.ts";

/**
 * Lets a batch see its logs, which are in chain order and without doubles. Launches are seen first, each with the
 * ETH/USD of its own place: see events/launched.ts.
 */
export function reduceLogs(batch: Batch, logs: readonly RawLog[], timeOf: (blockNumber: number) => number): void {
  let hasLaunch = false;
  for (const log of logs) {
    if (log.topics[0] === launched.topic) hasLaunch = true;
  }
  if (hasLaunch) seeLaunches(batch, logs, timeOf);
  for (const log of logs) {
    const topic = log.topics[0];
    if (topic === undefined || topic === launched.topic) continue;
    apply(batch, log, topic, timeOf);
  }
}

/** ETH/USD is replayed on the way, and set back: the launches' own places need it, the others come again. */
function seeLaunches(batch: Batch, logs: readonly RawLog[], timeOf: (blockNumber: number) => number): void {
  const { state } = batch;
  const [ethUsd, observations, events, launches] = [state.ethUsd, batch.ethUsd, batch.events, batch.launches.length];
  batch.ethUsd = new Map();
  for (const log of logs) {
    const topic = log.topics[0]!;
    const isEthUsd = state.emitters.get(log.address)?.ethUsd === true;
    if (topic === launched.topic || isEthUsd) apply(batch, log, topic, timeOf);
  }
  state.ethUsd = ethUsd;
  batch.ethUsd = observations;
  batch.events = events + batch.launches.length - launches;
}

function apply(batch: Batch, log: RawLog, topic: string, timeOf: (blockNumber: number) => number): void {
  const modules = eventsByTopic.get(topic);
  const emitter = batch.state.emitters.get(log.address);
  if (modules === undefined || emitter === undefined) return;
  for (const module of modules) {
    if (emitter[module.role] === undefined) continue;
    const { at } = batch;
    at.blockNumber = Number(log.blockNumber);
    if (isBeforeLaunch(emitter.pool ?? emitter.token, at.blockNumber)) continue;
    at.blockTime = timeOf(at.blockNumber);
    at.logIndex = Number(log.logIndex);
    at.txHash = log.transactionHash;
    module.apply(log, batch, emitter);
    batch.events++;
  }
}

/** A pool can exist, and swap nothing, before its token does. */
function isBeforeLaunch(token: { launchBlock: number } | undefined, blockNumber: number): boolean {
  return token !== undefined && blockNumber < token.launchBlock;
}
