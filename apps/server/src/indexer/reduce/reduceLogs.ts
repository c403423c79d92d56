import type { RawLog } from "@slipway/protocol/rawLog";
import { ethUsdTable } from "../events/ethUsd.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { launched, tokensTable } from "../events/launched.ts";
import type { TokenRef } from "../indexState.ts";
import { type Batch, getRows } from "./batch.ts";

/** Unix seconds of a block. */
type GetBlockTime = (blockNumber: number) => number;

/**
 * Applies logs, which are in chain order and without duplicates, to a batch. Launches are applied first, each with the
 * ETH/USD of its own position: see events/launched.ts.
 */
export function reduceLogs(
  batch: Batch,
  events: EventCatalog,
  logs: readonly RawLog[],
  getBlockTime: GetBlockTime,
): void {
  if (logs.some((log) => log.topics[0] === launched.topic)) applyLaunches(batch, events, logs, getBlockTime);
  for (const log of logs) {
    const topic = log.topics[0];
    if (topic === undefined || topic === launched.topic) continue;
    applyLog(batch, events, log, topic, getBlockTime);
  }
}

/** Replays ETH/USD on the way and sets it back afterwards: the other logs are applied in the second pass. */
function applyLaunches(batch: Batch, events: EventCatalog, logs: readonly RawLog[], getBlockTime: GetBlockTime): void {
  const { state } = batch;
  const launches = getRows(batch, tokensTable);
  const prices = getRows(batch, ethUsdTable);
  const before = { ethUsd: state.ethUsd, prices: prices.length, events: batch.events, launches: launches.length };
  for (const log of logs) {
    const topic = log.topics[0]!;
    const isEthUsd = state.emitters.get(log.address)?.ethUsd === true;
    if (topic === launched.topic || isEthUsd) applyLog(batch, events, log, topic, getBlockTime);
  }
  state.ethUsd = before.ethUsd;
  prices.length = before.prices;
  batch.events = before.events + launches.length - before.launches;
}

function applyLog(batch: Batch, events: EventCatalog, log: RawLog, topic: string, getBlockTime: GetBlockTime): void {
  const modules = events.byTopic.get(topic);
  const emitter = batch.state.emitters.get(log.address);
  if (modules === undefined || emitter === undefined) return;
  for (const module of modules) {
    if (emitter[module.role] === undefined) continue;
    const { at } = batch;
    at.blockNumber = Number(log.blockNumber);
    if (isBeforeLaunch(emitter.pool ?? emitter.token, at.blockNumber)) continue;
    at.blockTime = getBlockTime(at.blockNumber);
    at.logIndex = Number(log.logIndex);
    at.txHash = log.transactionHash;
    module.apply(log, batch, emitter);
    batch.events++;
  }
}

/** A pool can exist, and swap nothing, before its token does. */
function isBeforeLaunch(token: TokenRef | undefined, blockNumber: number): boolean {
  return token !== undefined && blockNumber < token.launchBlock;
}
