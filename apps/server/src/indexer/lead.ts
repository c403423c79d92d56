import type { HeadSignal } from "../chain/headSignal.ts";
import { RpcError } from "../chain/rpcError.ts";
import { openCopyPools } from "../db/copySchema.ts";
import type { Runtime } from "../runtime.ts";
import type { EventCatalog } from "./events/eventModule.ts";
import { createLogChecks, type LogChecks } from "./fetch/logChecks.ts";
import { createRangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { loadContext } from "./loadContext.ts";
import { createRangeChecks } from "./rangeChecks.ts";
import { dropCopy, hasCopy } from "./rebuild/createCopy.ts";
import { type Rebuild, startRebuild } from "./rebuild/startRebuild.ts";
import type { Sources } from "./sources.ts";
import { createStatusPublisher, HaltError, type IndexerStatus } from "./statusPublisher.ts";
import { step } from "./step.ts";
import { LeadershipLostError } from "./store/checkpoint.ts";
import { openIndex, planIndex } from "./store/openIndex.ts";
import { pruneOutbox } from "./store/writeOutbox.ts";

const pruneEveryMs = 600_000;
const maxPauseMs = 5_000;

/**
 * Indexes as the leader until the signal aborts. Retries a failed step with growing pauses. Also retries after a halt,
 * because a wrong answer of a node may have caused the halt.
 *
 * @throws LeadershipLostError
 */
export async function lead(
  runtime: Runtime,
  sources: Sources,
  events: EventCatalog,
  status: IndexerStatus,
  heads: HeadSignal,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, metrics } = runtime;
  const checks = createLogChecks(runtime.chain.rpc, metrics, log);
  const rangeChecks = createRangeChecks(runtime.config.RPC_REQUESTS_PER_SECOND, metrics);
  const publisher = createStatusPublisher(runtime, status);
  const size = createRangeSize();
  let context: IndexerContext | null = null;
  let rebuild: Rebuild | null = null;
  let failures = 0;
  let prunedAt = clock.now();

  const open = async (): Promise<IndexerContext> => {
    const opened = await openCurrentIndex(runtime, sources, events, checks, signal);
    if (opened.isOutdated) {
      rebuild ??= startRebuild(runtime, { sources, events, getTarget: () => context?.checkpoint ?? null }, signal);
    } else await stopRebuild();
    return opened.context;
  };

  const stopRebuild = async (): Promise<void> => {
    const stopped = rebuild;
    rebuild = null;
    await stopped?.stop();
  };

  const runStep = async (): Promise<void> => {
    if (rangeChecks.takeRebuild()) context = null;
    context ??= await open();
    const { head, hasMore } = await step(context, {
      size,
      onHead: async (newest, isBackfilling) => {
        const { number, time, hash } = newest;
        // During a backfill, `newest` is the head at the start of the backfill.
        if (!isBackfilling) {
          runtime.chain.heads.note({ number: BigInt(number), timestamp: BigInt(time), hash: hash as `0x${string}` });
        }
        await publisher.publish(context, newest, isBackfilling ? "backfilling" : "live");
      },
    });
    failures = 0;
    publisher.resume();
    if (!hasMore) await publisher.publish(context, head, "live");
    if (Math.abs(clock.now() - prunedAt) > pruneEveryMs) {
      prunedAt = clock.now();
      await pruneOutbox(runtime.db.indexer);
    }
    if (hasMore) return;
    if (rebuild === null) rangeChecks.continue(context);
    else if (await rebuild.finish(context)) {
      context = null;
      return;
    }
    await heads.next(signal);
  };

  const handleFailure = async (error: unknown): Promise<void> => {
    failures++;
    if (error instanceof HaltError) {
      await publisher.halt(context, error.message).catch(() => undefined);
      return;
    }
    const isExpected = error instanceof RpcError && error.retryable;
    // The pool cannot detect every wrong answer, so the step penalizes the endpoint that answered.
    if (isExpected) runtime.chain.rpc.penalize();
    const isContradiction = isExpected && error.kind === "malformed";
    if (isContradiction) metrics.logChecks.inc({ check: "answers", outcome: "contradicted" });
    log[isExpected && !isContradiction ? "debug" : "warn"]({ err: error, failures }, "indexing step failed");
    status.reason = (error as Error).message;
    // After any other error the context may differ from the database: the next step opens a new context.
    if (!(error instanceof RpcError)) context = null;
  };

  try {
    while (!signal.aborted) {
      try {
        await runStep();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeadershipLostError) throw error;
        await handleFailure(error);
        await clock.sleep(Math.min(maxPauseMs, 50 * 2 ** Math.min(failures, 7)), signal).catch(() => undefined);
      }
    }
  } finally {
    await rangeChecks.stop();
    await stopRebuild();
  }
}

/** The index that is read, and whether another one must replace it. */
type OpenedIndex = { context: IndexerContext; isOutdated: boolean };

async function openCurrentIndex(
  runtime: Runtime,
  sources: Sources,
  events: EventCatalog,
  checks: LogChecks,
  signal: AbortSignal,
): Promise<OpenedIndex> {
  const { db, log } = runtime;
  await checkChainIds(runtime, sources);
  const plan = await planIndex(db.indexer, sources);
  const isOutdated = plan.kind === "replace";
  if (!isOutdated) {
    await openIndex(db.indexer, runtime.chain.rpc, sources, events);
    if (await hasCopy(db.indexer)) await dropUnusedCopy(runtime);
  } else log.warn({ reason: plan.reason }, "index rebuild started");
  // Launches refer to their deployment by its id in the index.
  const followed = isOutdated ? { ...sources, deployments: plan.deployments } : sources;
  const context = await loadContext(runtime, {
    pools: { pool: db.indexer, pipelined: db.pipelined },
    sources: followed,
    events,
    checks,
    signal,
    isCopy: false,
  });
  return { context, isOutdated };
}

/** Drops the tables of an abandoned rebuild, for example after the previous version was started again. */
async function dropUnusedCopy({ config, log }: Runtime): Promise<void> {
  const { owner, close } = openCopyPools(config, () => undefined);
  try {
    await dropCopy(owner);
  } catch (err) {
    log.warn({ err }, "tables of an earlier rebuild not dropped");
  } finally {
    await close();
  }
}

/** Refuses endpoints of another chain. @throws HaltError */
async function checkChainIds(runtime: Runtime, sources: Sources): Promise<void> {
  const { rpc } = runtime.chain;
  for (let endpoint = 0; endpoint < rpc.endpoints; endpoint++) {
    const answer = await rpc.request({ method: "eth_chainId" }, { endpoint }).catch((error: unknown) => {
      // The indexer starts with the remaining endpoints if one is down.
      if (error instanceof RpcError && rpc.endpoints > 1) return null;
      throw error;
    });
    if (answer !== null && Number(answer) !== sources.chainId) {
      throw new HaltError(
        `RPC endpoint ${endpoint} serves chain ${Number(answer)}, the manifest is for chain ${sources.chainId}`,
      );
    }
  }
}
