import { RpcError } from "../chain/rpcError.ts";
import { commitReduced, type ReducedRange, reduceRange, reloadContext } from "./applyRange.ts";
import { type FactoryEvent, fetchFactoryEvents } from "./fetch/factoryEvents.ts";
import type { FetchedRange } from "./fetch/fetchedRange.ts";
import { fetchFinalRange } from "./fetch/fetchFinalRange.ts";

import type { RangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";

/** Number of ranges that are fetched while another range is reduced or written. */
const fetchConcurrency = 5;
/** Minimum logs of a batch. Large batches write a row once that many logs change. */
const batchLogs = 60_000;

export type BackfillOptions = {
  size: RangeSize;
  onProgress(): Promise<void>;
  /** Minimum logs of a batch. */
  batchLogs?: number | undefined;
};

type Pending = { from: number; to: number; result: Promise<FetchedRange | RpcError> };

/**
 * Indexes final blocks up to `target`. Fetches several ranges ahead, and writes a batch while it reduces the next one.
 * Commits batches one after the other, each in one transaction. After a crash, the next start continues after the last
 * commit.
 *
 * @throws RpcError when the node's answer is wrong or missing. All ranges reduced before the error are committed.
 */
export async function backfill(
  context: IndexerContext,
  target: number,
  headTime: number,
  options: BackfillOptions,
): Promise<void> {
  const { rpc, events, checks, log, signal } = context;
  const { size } = options;
  const first = context.checkpoint.blockNumber + 1;
  const factoryEvents = await fetchFactoryEvents(rpc, context.state, first, target, signal);
  const report = createProgress(context, first, target);
  const pending: Pending[] = [];
  let next = first;
  const fill = () => {
    while (pending.length < fetchConcurrency && next <= target) {
      const from = next;
      const to = Math.min(target, from + size.next() - 1);
      next = to + 1;
      const known = factoryEvents.filter((event) => event.blockNumber <= to);
      const { state } = context;
      const result = fetchFinalRange({ rpc, state, events, checks, log, signal }, from, to, known).catch(
        (error: unknown) => {
          if (error instanceof RpcError) return error;
          throw error;
        },
      );
      // The loop awaits results in order. A later result that fails first must not be an unhandled rejection.
      result.catch(() => undefined);
      pending.push({ from, to, result });
    }
  };

  let reduced: ReducedRange | null = null;
  let batchId = context.checkpoint.batchId + 1;
  let written: Promise<void> = Promise.resolve();
  /** Waits for the commit of the previous batch, then starts to write this batch. */
  const write = async (batch: ReducedRange) => {
    await written;
    reduced = null;
    batchId++;
    written = commitReduced(context, batch, headTime).then(async () => {
      report();
      await options.onProgress();
    });
    // `written` is awaited before the next write. A failure before that must not be an unhandled rejection.
    written.catch(() => undefined);
  };

  fill();
  try {
    while (pending.length > 0) {
      signal.throwIfAborted();
      const { from, to, result } = pending.shift()!;
      const range = await result;
      if (range instanceof RpcError) {
        if (range.kind !== "range" || !size.refused(to - from + 1)) {
          if (reduced) await write(reduced);
          await written;
          throw range;
        }
        pending.length = 0;
        next = from;
      } else {
        size.accepted(to - from + 1, range.logs.length);
        if (range.foundFactoryEvents !== null && addMissing(factoryEvents, range.foundFactoryEvents)) {
          // Ranges that were fetched ahead lack the logs of these contracts: fetches them again.
          pending.length = 0;
          next = to + 1;
        }
        fill();
        try {
          reduced = reduceRange(context, range, reduced, batchId);
        } catch (error) {
          await written;
          // The index state contains a part of the range.
          await reloadContext(context);
          throw error;
        }
        // Reading block by block is slow: commits such a range immediately, so that a later failure does not repeat it.
        const isFull = reduced.logCount >= (options.batchLogs ?? batchLogs) || range.foundFactoryEvents !== null;
        if (isFull || to === target) await write(reduced);
      }
      fill();
    }
    await written;
  } finally {
    // The caller reads context and database: no write may be in progress.
    await written.catch(() => undefined);
  }
}

/** Adds the missing events of `found`, in chain order. @returns Whether an event was missing. */
function addMissing(known: FactoryEvent[], found: readonly FactoryEvent[]): boolean {
  const addresses = new Set(known.map(({ contracts }) => contracts[0]!.address));
  const missing = found.filter(({ contracts }) => !addresses.has(contracts[0]!.address));
  known.push(...missing);
  known.sort((a, b) => a.blockNumber - b.blockNumber);
  return missing.length > 0;
}

/** Creates a function that logs rate and remaining time every few seconds, and sets the metric. */
function createProgress(context: IndexerContext, first: number, target: number): () => void {
  const started = context.clock.now();
  let logged = started;
  return () => {
    const now = context.clock.now();
    const done = context.checkpoint.blockNumber - first + 1;
    const blocksPerSecond = (done * 1000) / Math.max(1, now - started);
    const secondsLeft = Math.round((target - context.checkpoint.blockNumber) / blocksPerSecond);
    context.metrics.backfillSecondsLeft.set(secondsLeft);
    const isLast = context.checkpoint.blockNumber >= target;
    if (now - logged < 2_000 && !isLast) return;
    logged = now;
    const block = context.checkpoint.blockNumber;
    context.log.info({ block, target, blocksPerSecond: Math.round(blocksPerSecond), secondsLeft }, "backfill progress");
  };
}
