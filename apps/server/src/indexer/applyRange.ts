import type { FetchedRange } from "./fetch/fetchedRange.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { type Batch, createBatch } from "./reduce/batch.ts";
import { reduceLogs } from "./reduce/reduceLogs.ts";
import { readCheckpoint } from "./store/checkpoint.ts";
import { type CommittedRange, commitBatch } from "./store/commitBatch.ts";
import { loadIndexState } from "./store/loadIndexState.ts";

/** Ranges that follow each other, reduced but not committed: what to write, and where it ends. */
export type Reduced = {
  batch: Batch;
  range: CommittedRange;
  logs: number;
};

/**
 * Reduces a range on top of `before`, or begins a new batch, behind the one that is committed or that is being written.
 * The range's logs are not needed afterwards.
 */
export function reduceRange(
  context: IndexerContext,
  range: FetchedRange,
  before: Reduced | null,
  batchId = context.checkpoint.batchId + 1,
): Reduced {
  const batch = before?.batch ?? createBatch(batchId, context.state);
  batch.senders = range.senders;
  batch.preLaunchStates = range.preLaunchStates;
  reduceLogs(batch, range.logs, (blockNumber) => range.times.get(blockNumber)!);
  const { to, end, headers } = range;
  return {
    batch,
    range: {
      from: before?.range.from ?? range.from,
      to,
      end,
      headers,
      splitterDeployments: [...(before?.range.splitterDeployments ?? []), ...range.splitterDeployments],
    },
    logs: (before?.logs ?? 0) + range.logs.length,
  };
}

/** Commits what was reduced. On failure the memory is rebuilt from the database before it throws. */
export async function commitReduced(context: IndexerContext, reduced: Reduced, headTime: number): Promise<void> {
  const { batch, range } = reduced;
  try {
    const pool = range.headers === null ? context.pool : context.pipelined;
    context.checkpoint = await commitBatch(pool, batch, range, context.accountIds, {
      fence: context.fencingToken,
      windowTime: headTime - context.reorgWindowSeconds,
    });
  } catch (error) {
    // The world has seen the batch; whether the database has is unknown (a connection can die during COMMIT).
    await reloadContext(context);
    throw error;
  }
  context.metrics.indexedEvents.inc(batch.events);
  context.metrics.indexedBlock.set(range.to);
}

/** Reduces a fetched range and commits it. */
export async function applyRange(context: IndexerContext, range: FetchedRange, headTime: number): Promise<void> {
  let reduced: Reduced;
  try {
    reduced = reduceRange(context, range, null);
  } catch (error) {
    await reloadContext(context);
    throw error;
  }
  await commitReduced(context, reduced, headTime);
}

/** Takes world and checkpoint from the database. */
export async function reloadContext(context: IndexerContext): Promise<void> {
  const checkpoint = await readCheckpoint(context.pool);
  if (!checkpoint) throw new Error("the index has no checkpoint");
  context.state = await loadIndexState(context.pool, context.state.sources);
  context.checkpoint = checkpoint;
  context.accountIds.reset(context.state.nextAccountId);
}
