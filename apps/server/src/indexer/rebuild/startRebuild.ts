import { RpcError } from "../../chain/rpcError.ts";
import { createRequestBudget, type RpcPool } from "../../chain/rpcPool.ts";
import { type CopyPools, copySchema, openCopyPools } from "../../db/copySchema.ts";
import type { Runtime } from "../../runtime.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { fetchHeader, type Header } from "../fetch/headers.ts";
import { createLogChecks } from "../fetch/logChecks.ts";
import { createRangeSize } from "../fetch/rangeSize.ts";
import type { IndexerContext } from "../indexerContext.ts";
import { loadContext } from "../loadContext.ts";
import type { Sources } from "../sources.ts";
import { HaltError } from "../statusPublisher.ts";
import { step } from "../step.ts";
import type { Checkpoint } from "../store/checkpoint.ts";
import { openIndex } from "../store/openIndex.ts";
import { dropCopy, dropOldIndex, prepareCopy } from "./createCopy.ts";
import { CopyOutdatedError, lockNotAvailable, switchIndex } from "./switchIndex.ts";

/** Part of the request budget that the rebuild uses, so that following the chain and requests keep the other part. */
const budgetShare = 0.5;
/** Minimum logs of a batch. Less than in a backfill, because the process also answers requests meanwhile. */
const batchLogs = 10_000;
const pauseMs = 500;
const maxPauseMs = 5_000;
const reportEveryMs = 10_000;
/** Pause after a switch that did not get its locks. */
const retrySwitchMs = 2_000;
/** Maximum blocks, and steps, by which the copy reaches the current index while that index waits. */
const maxLastBlocks = 50;
const maxLastSteps = 10;

/** Builds the next index beside the one that is read, and replaces it. */
export type Rebuild = {
  /**
   * Replaces the current index if the next index can be brought to its block. The caller must not change the current
   * index meanwhile, and must open the index again afterwards.
   */
  finish(current: IndexerContext): Promise<boolean>;
  /** Stops after the current write. The next start continues. */
  stop(): Promise<void>;
};

export type RebuildOptions = {
  sources: Sources;
  events: EventCatalog;
  /** The last block of the current index: the next index is built up to it. Null while it is not open. */
  getTarget(): Checkpoint | null;
};

/** Starts or continues to build the next index. Retries with growing pauses. */
export function startRebuild(
  runtime: Runtime,
  { sources, events, getTarget }: RebuildOptions,
  leadership: AbortSignal,
): Rebuild {
  const { clock, metrics } = runtime;
  const log = runtime.log.child({ rebuild: true });
  const stopping = new AbortController();
  const signal = AbortSignal.any([leadership, stopping.signal]);
  const rpc = limitRequests(runtime);
  const checks = createLogChecks(rpc, metrics, log);
  const size = createRangeSize();
  const pools = openCopyPools(runtime.config, (err) => log.warn({ err }, "database connection of the rebuild closed"));
  const report = createReport(runtime);
  let copy: IndexerContext | null = null;
  let isCaughtUp = false;
  /** Whether a step or the switch is running: only one of them may use the copy. */
  let isBusy = false;
  let triedAt = Number.NEGATIVE_INFINITY;

  const open = async (): Promise<IndexerContext> => {
    if (await prepareCopy(pools.owner, sources.fingerprint)) log.info("next index created");
    await openIndex(pools.pool, rpc, sources, events, false);
    const chain = { ...runtime.chain, rpc };
    return await loadContext({ ...runtime, log, chain }, { pools, sources, events, checks, signal, isCopy: true });
  };

  const stepTo = async (target: Checkpoint): Promise<boolean> => {
    copy ??= await open();
    const current = copy;
    const { hasMore } = await step(current, {
      size,
      batchLogs,
      getHead: async () => await fetchTarget(current, target),
      onHead: async (head) =>
        report(current.checkpoint.blockNumber - sources.fromBlock, head.number - sources.fromBlock),
    });
    return hasMore;
  };

  const handleFailure = async (error: unknown, failures: number): Promise<void> => {
    const isExpected = error instanceof RpcError && error.retryable;
    if (isExpected && error.kind === "malformed") rpc.penalize();
    log[isExpected ? "debug" : "warn"]({ err: error, failures }, "step of the index rebuild failed");
    isCaughtUp = false;
    if (error instanceof RpcError) return;
    copy = null;
    // Its final blocks are not part of the chain any more, or its tables are not those of this version.
    if (error instanceof HaltError || error instanceof CopyOutdatedError) await dropCopy(pools.owner);
  };

  const run = async () => {
    let failures = 0;
    while (!signal.aborted) {
      let sleepMs = pauseMs;
      const target = getTarget();
      if (!isBusy && target !== null) {
        isBusy = true;
        try {
          const hasMore = await stepTo(target);
          failures = 0;
          if (hasMore) sleepMs = 0;
          else if (!isCaughtUp) {
            await analyze(pools);
            isCaughtUp = true;
          }
        } catch (error) {
          if (signal.aborted) break;
          failures++;
          await handleFailure(error, failures).catch((err: unknown) => log.warn({ err }, "next index not dropped"));
          sleepMs = Math.min(maxPauseMs, 50 * 2 ** Math.min(failures, 7));
        } finally {
          isBusy = false;
        }
      }
      if (sleepMs > 0) await clock.sleep(sleepMs, signal).catch(() => undefined);
    }
  };
  const finished = run();

  const tryFinish = async (current: IndexerContext): Promise<boolean> => {
    const { checkpoint, fencingToken } = current;
    if (copy === null || Math.abs(checkpoint.blockNumber - copy.checkpoint.blockNumber) > maxLastBlocks) return false;
    for (let i = 0; i < maxLastSteps && copy?.checkpoint.blockHash !== checkpoint.blockHash; i++)
      await stepTo(checkpoint);
    if (copy?.checkpoint.blockHash !== checkpoint.blockHash) return false;
    await switchIndex(pools.owner, {
      fingerprint: sources.fingerprint,
      fromBlock: sources.fromBlock,
      current: { fencingToken, checkpoint },
      copyFencingToken: copy.fencingToken,
    });
    return true;
  };

  const stop = async () => {
    stopping.abort();
    await finished;
    await pools.close();
    metrics.rebuildBlock.set(0);
    metrics.rebuildRatio.set(0);
  };

  return {
    finish: async (current) => {
      const isPaused = Math.abs(clock.now() - triedAt) < retrySwitchMs;
      if (!isCaughtUp || isBusy || isPaused) return false;
      isBusy = true;
      triedAt = clock.now();
      try {
        if (!(await tryFinish(current))) return false;
        log.info({ block: current.checkpoint.blockNumber }, "index rebuild finished");
        await dropOldIndex(pools.owner).catch((err: unknown) => log.warn({ err }, "replaced index not dropped"));
        return true;
      } catch (error) {
        if ((error as { code?: string }).code === lockNotAvailable) {
          log.info("next index waits for readers of the current index");
        } else await handleFailure(error, 1).catch((err: unknown) => log.warn({ err }, "next index not dropped"));
        return false;
      } finally {
        isBusy = false;
      }
    },
    stop,
  };
}

/** Fetches the header of the current index's last block. @throws RpcError transient while the current index follows a reorganisation. */
async function fetchTarget({ rpc, signal }: IndexerContext, target: Checkpoint): Promise<Header> {
  const header = await fetchHeader(rpc, target.blockNumber, signal);
  if (header?.hash !== target.blockHash)
    throw new RpcError("transient", `RPC: block ${target.blockNumber} is replaced`);
  return header;
}

/** Plans of reads depend on statistics, which autovacuum may not have made yet. */
async function analyze({ owner }: CopyPools): Promise<void> {
  const { rows } = await owner.query<{ sql: string }>(
    `select format('analyze %I.%I', schemaname, tablename) as sql from pg_tables where schemaname = '${copySchema}'`,
  );
  for (const { sql } of rows) await owner.query(sql);
}

/** Returns endpoints whose requests also wait for a budget of their own. */
function limitRequests({ chain, clock, config }: Runtime): RpcPool {
  const { rpc } = chain;
  const budget = createRequestBudget(clock, config.RPC_REQUESTS_PER_SECOND * budgetShare);
  return {
    ...rpc,
    request: async (args, options) => {
      await budget.take(1, options);
      return await rpc.request(args, options);
    },
    batch: async (calls, options) => {
      await budget.take(calls.length, options);
      return await rpc.batch(calls, options);
    },
    batchSettled: async (calls, options) => {
      await budget.take(calls.length, options);
      return await rpc.batchSettled(calls, options);
    },
  };
}

/** Creates a function that sets the metric, and logs the progress every few seconds. */
function createReport({ clock, metrics, log }: Runtime): (done: number, total: number) => void {
  let loggedAt = clock.now();
  return (done, total) => {
    const ratio = total <= 0 ? 1 : Math.max(0, Math.min(1, done / total));
    metrics.rebuildRatio.set(ratio);
    const now = clock.now();
    if (ratio === 1 || Math.abs(now - loggedAt) < reportEveryMs) return;
    loggedAt = now;
    log.info({ percent: Math.floor(ratio * 100), blocks: done, target: total }, "index rebuild progress");
  };
}
