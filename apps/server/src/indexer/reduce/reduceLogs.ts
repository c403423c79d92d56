import type { RawLog } from "@slipway/protocol/rawLog";
import { ethUsdTable } from "../events/ethUsd.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { launched, tokensTable } from "../events/launched.ts";
import { getBlockNumber } from "../fetch/getBlockNumber.ts";
import type { TokenRef } from "../indexState.ts";
import { type Batch, getRows } from "./batch.ts";
import { findTradeAccounts } from "./findTradeAccounts.ts";

/** Returns the time of a block in Unix seconds. */
type GetBlockTime = (blockNumber: number) => number;

/**
 * Applies logs to a batch. The logs must be in chain order and without duplicates. Applies launches first, each with
 * the ETH/USD price of its block: see events/launched.ts.
 */
export function reduceLogs(
  batch: Batch,
  events: EventCatalog,
  logs: readonly RawLog[],
  getBlockTime: GetBlockTime,
): void {
  if (logs.some((log) => log.topics[0] === launched.topic)) applyLaunches(batch, events, logs, getBlockTime);
  // After the launches, whose tokens and pools it needs; before the trades, because tokens move after the swap too.
  const { senders, operations, state } = batch;
  batch.tradeAccounts = findTradeAccounts(logs, { emitters: state.emitters, senders, operations });
  for (const log of logs) {
    const topic = log.topics[0];
    if (topic === undefined || topic === launched.topic) continue;
    applyLog(batch, events, log, topic, getBlockTime);
  }
}

/** Applies launches only. Replays ETH/USD for them and resets it afterwards: the second pass applies all other logs. */
function applyLaunches(batch: Batch, events: EventCatalog, logs: readonly RawLog[], getBlockTime: GetBlockTime): void {
  const { state } = batch;
  const launches = getRows(batch, tokensTable);
  const prices = getRows(batch, ethUsdTable);
  const before = { ethUsd: state.ethUsd, prices: prices.length, events: batch.events, launches: launches.length };
  state.ethUsd = before.ethUsd.copy();
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
    at.blockNumber = getBlockNumber(log);
    if (isBeforeLaunch(emitter.pool ?? emitter.token, at.blockNumber)) continue;
    at.blockTime = getBlockTime(at.blockNumber);
    at.logIndex = Number(log.logIndex);
    at.txIndex = Number(log.transactionIndex);
    at.txHash = log.transactionHash;
    module.apply(log, batch, emitter);
    batch.events++;
  }
}

/** Whether a log is older than its token's launch: a pool can exist before its token. */
function isBeforeLaunch(token: TokenRef | undefined, blockNumber: number): boolean {
  return token !== undefined && blockNumber < token.launchBlock;
}
