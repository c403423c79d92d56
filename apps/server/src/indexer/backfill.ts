import { RpcError } from "../chain/rpcError.ts";
import { commitReduced, type Reduced, reduceRange } from "./applyRange.ts";
import { fetchLaunches } from "./fetch/launches.ts";
import { fetchFinalRange } from "./fetch/fetchFinalRange.ts";
import type { FetchedRange } from "./fetch/fetchedRange.ts";
import type { RangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";

/** Ranges that are fetched while one is reduced or written. */
const inFlight = 5;
/** Logs of one transaction: rows that are changed again and again are then written once. */
const logsOfCommit = 60_000;

export type BackfillOptions = {
  size: RangeSize;
  onProgress(): Promise<void>;
  /** Tests choose small ones. */
  logsOfCommit?: number;
};

type Pending = { from: number; to: number; result: Promise<FetchedRange | RpcError> };

/**
 * Indexes final blocks up to `target`: several ranges are fetched ahead, and a batch is written while the next one is
 * reduced. Batches are committed one after the other, each whole: killed anywhere, the next start goes on at the last
 * commit.
 *
 * @throws RpcError when the node answers wrongly or not at all; what was reduced until then is committed.
 */
export async function backfill(
  context: IndexerContext,
  target: number,
  headTime: number,
  options: BackfillOptions,
): Promise<void> {
  const { rpc, signal } = context;
  const { size } = options;
  const first = context.checkpoint.blockNumber + 1;
  const launches = await fetchLaunches(rpc, context.state, first, target, signal);
  const report = createProgress(context, first, target);
  const pending: Pending[] = [];
  let next = first;
  const fill = () => {
    while (pending.length < inFlight && next <= target) {
      const from = next;
      const to = Math.min(target, from + size.next() - 1);
      next = to + 1;
      const known = launches.filter((launch) => launch.blockNumber <= to);
      const result = fetchFinalRange(rpc, context.state, from, to, known, signal).catch((error: unknown) => {
        if (error instanceof RpcError) return error;
        throw error;
      });
      // Awaited in order; a failure of a later one must not count as unhandled meanwhile.
      result.catch(() => undefined);
      pending.push({ from, to, result });
    }
  };

  let reduced: Reduced | null = null;
  let batchId = context.checkpoint.batchId + 1;
  let written: Promise<void> = Promise.resolve();
  /** Begins to write what was reduced, as soon as the batch before it is committed. */
  const write = async (batch: Reduced) => {
    await written;
    reduced = null;
    batchId++;
    written = commitReduced(context, batch, headTime).then(async () => {
      report();
      await options.onProgress();
    });
    // Awaited before the next batch is written; a failure must not count as unhandled until then.
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
        fill();
        reduced = reduceRange(context, range, reduced, batchId);
        if (reduced.logs >= (options.logsOfCommit ?? logsOfCommit) || to === target) await write(reduced);
      }
      fill();
    }
    await written;
  } finally {
    // Whoever goes on must find memory and database where they will stay.
    await written.catch(() => undefined);
  }
}

/** Logs rate and time left every few seconds, and sets the metric. */
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
    context.log.info({ block, target, blocksPerSecond: Math.round(blocksPerSecond), secondsLeft }, "backfilling");
  };
}
