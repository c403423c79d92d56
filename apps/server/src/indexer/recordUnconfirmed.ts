import type { RawLog } from "@slipway/protocol/rawLog";
import type { FactoryEvent } from "./fetch/factoryEvents.ts";
import type { FetchedRange } from "./fetch/fetchedRange.ts";
import type { IndexerContext } from "./indexerContext.ts";
import type { IndexState } from "./indexState.ts";
import { addUnconfirmedRange, type PendingRange, toEventsKey } from "./store/unconfirmedRanges.ts";

/** Consecutive blocks in which the watched contracts are the same, and the logs of these contracts. */
type Part = { from: number; to: number; logs: readonly RawLog[]; addsContracts: boolean };

/**
 * Adds a range to the unconfirmed ranges, if only one endpoint returned each of its logs. The logs are those that
 * `createLaunchFilter` requests from another endpoint later.
 *
 * @param context - Its state does not contain the contracts of `factoryEvents` yet.
 */
export function recordUnconfirmed(
  { state, events }: Pick<IndexerContext, "state" | "events">,
  range: FetchedRange,
  factoryEvents: readonly FactoryEvent[],
  unconfirmed: PendingRange[],
): void {
  if (range.unconfirmedBy === null) return;
  const recent = range.headers !== null;
  const logs = range.logs.filter(
    ({ address, topics }) => address !== state.sources.gasStation && events.byTopic.has(topics[0] ?? ""),
  );
  const parts = recent
    ? splitAtFactoryEvents(range, logs, factoryEvents, state)
    : [{ from: range.from, to: range.to, logs, addsContracts: factoryEvents.length > 0 }];
  for (const { from, to, logs: own, addsContracts } of parts) {
    // Near the head, a part without logs needs no check: the blooms of its headers exclude logs.
    if (recent && own.length === 0) continue;
    const row = { from, to, host: range.unconfirmedBy, events: toEventsKey(events.topics), recent };
    addUnconfirmedRange(unconfirmed, row, own, addsContracts);
  }
}

/**
 * Splits a range that was read block by block at its events of factories. Leaves out the logs of their contracts in
 * earlier blocks: they were found only if their block was read for another contract.
 */
function splitAtFactoryEvents(
  { from, to }: FetchedRange,
  logs: readonly RawLog[],
  factoryEvents: readonly FactoryEvent[],
  { emitters }: IndexState,
): Part[] {
  const watchedFrom = new Map<string, number>();
  for (const { contracts, blockNumber } of factoryEvents) {
    for (const { address } of contracts) {
      if (!emitters.has(address) && !watchedFrom.has(address)) watchedFrom.set(address, blockNumber);
    }
  }
  const eventBlocks = new Set(factoryEvents.map(({ blockNumber }) => blockNumber));
  const starts = [...new Set([from, ...eventBlocks])];
  return starts.map((start, i) => {
    const end = (starts[i + 1] ?? to + 1) - 1;
    const isOwn = (log: RawLog) => {
      const block = Number(log.blockNumber);
      return block >= start && block <= end && block >= (watchedFrom.get(log.address) ?? 0);
    };
    return { from: start, to: end, logs: logs.filter(isOwn), addsContracts: eventBlocks.has(start) };
  });
}
