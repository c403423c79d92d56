import { splitterEventsTable, splitterPayeesTable, splittersTable } from "./events/splitterEvents.ts";
import { parseFactoryEvents } from "./fetch/factoryEvents.ts";
import type { FetchedRange } from "./fetch/fetchedRange.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { recordUnconfirmed } from "./recordUnconfirmed.ts";
import { type Batch, createBatch, getRows } from "./reduce/batch.ts";
import { reduceLogs } from "./reduce/reduceLogs.ts";
import { readCheckpoint } from "./store/checkpoint.ts";
import { type CommittedRange, commitBatch } from "./store/commitBatch.ts";
import { loadIndexState } from "./store/loadIndexState.ts";

/** Consecutive ranges that are reduced but not committed. */
export type ReducedRange = {
  batch: Batch;
  range: CommittedRange;
  logCount: number;
};

/**
 * Reduces a range into the batch of `before`, or into a new batch. The range's logs are not needed afterwards.
 *
 * @param batchId - The id of a new batch.
 */
export function reduceRange(
  context: IndexerContext,
  range: FetchedRange,
  before: ReducedRange | null,
  batchId = context.checkpoint.batchId + 1,
): ReducedRange {
  const batch = before?.batch ?? createBatch(batchId, context.state, context.events.tables);
  batch.senders = range.senders;
  batch.operations = range.operations;
  batch.preLaunchStates = range.preLaunchStates;
  for (const { splitter, payees, events } of range.splitterDeployments) {
    getRows(batch, splittersTable).push(splitter);
    getRows(batch, splitterPayeesTable).push(...payees);
    for (const event of events) getRows(batch, splitterEventsTable).push(event);
  }
  const unconfirmed = before?.range.unconfirmed ?? [];
  recordUnconfirmed(context, range, parseFactoryEvents(context.state, range.logs), unconfirmed);
  reduceLogs(batch, context.events, range.logs, (blockNumber) => range.times.get(blockNumber)!);
  const { to, end, headers } = range;
  return {
    batch,
    range: { from: before?.range.from ?? range.from, to, end, headers, unconfirmed },
    logCount: (before?.logCount ?? 0) + range.logs.length,
  };
}

/** Commits a reduced range. If the commit fails, reloads the index state from the database, then throws. */
export async function commitReduced(
  context: IndexerContext,
  { batch, range }: ReducedRange,
  headTime: number,
): Promise<void> {
  try {
    const pool = range.headers === null ? context.pool : context.pipelined;
    context.checkpoint = await commitBatch(pool, batch, range, context.accountIds, {
      fencingToken: context.fencingToken,
      windowTime: headTime - context.reorgWindowSeconds,
      publishes: !context.isCopy,
    });
  } catch (error) {
    // The index state includes the batch. The database may not: a connection can break during COMMIT.
    await reloadContext(context);
    throw error;
  }
  context.metrics.indexedEvents.inc(batch.events);
  noteIndexedBlock(context);
}

/** Sets the metric of the last committed block. */
export function noteIndexedBlock({ metrics, checkpoint, isCopy }: IndexerContext): void {
  (isCopy ? metrics.rebuildBlock : metrics.indexedBlock).set(checkpoint.blockNumber);
}

/** Reduces a fetched range and commits it. */
export async function applyRange(context: IndexerContext, range: FetchedRange, headTime: number): Promise<void> {
  let reduced: ReducedRange;
  try {
    reduced = reduceRange(context, range, null);
  } catch (error) {
    await reloadContext(context);
    throw error;
  }
  await commitReduced(context, reduced, headTime);
}

/** Reloads index state and checkpoint from the database. */
export async function reloadContext(context: IndexerContext): Promise<void> {
  const checkpoint = await readCheckpoint(context.pool);
  if (!checkpoint) throw new Error("the index has no checkpoint");
  context.state = await loadIndexState(context.pool, context.state.sources, context.events);
  context.checkpoint = checkpoint;
  context.accountIds.reset(context.state.nextAccountId);
}
