import type { HeadSignal } from "../chain/headSignal.ts";
import { RpcError } from "../chain/rpcError.ts";
import type { Runtime } from "../runtime.ts";
import { createRangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { createStatusPublisher, HaltError, type IndexerStatus } from "./status.ts";
import type { Sources } from "./sources.ts";
import { step } from "./step.ts";
import { createAccountIds } from "./store/accountIds.ts";
import { LeadershipLostError, readCheckpoint } from "./store/checkpoint.ts";
import { drawFence } from "./store/leadership.ts";
import { loadWorld } from "./store/loadIndexState.ts";
import { openIndex } from "./store/openIndex.ts";
import { pruneOutbox } from "./store/writeOutbox.ts";

const pruneEveryMs = 600_000;
const longestPauseMs = 5_000;

/**
 * Leads: indexes until the signal aborts. Errors that can pass are tried again, slower each time; a halt is looked at
 * again every few seconds, for it may have been a node that was wrong.
 *
 * @throws LeadershipLostError
 */
export async function lead(
  runtime: Runtime,
  sources: Sources,
  status: IndexerStatus,
  heads: HeadSignal,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = runtime;
  const publisher = createStatusPublisher(runtime, status);
  const size = createRangeSize();
  let context: IndexerContext | null = null;
  let failures = 0;
  let prunedAt = clock.now();

  const work = async (): Promise<void> => {
    context ??= await open(runtime, sources, signal);
    const { head, hasMore } = await step(context, {
      size,
      onHead: (seen, isBackfilling) => publisher.publish(context, seen, isBackfilling ? "backfilling" : "live"),
    });
    failures = 0;
    publisher.resume();
    if (!hasMore) await publisher.publish(context, head, "live");
    if (Math.abs(clock.now() - prunedAt) > pruneEveryMs) {
      prunedAt = clock.now();
      await pruneOutbox(runtime.db.indexer);
    }
    if (!hasMore) await heads.next(signal);
  };

  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LeadershipLostError) throw error;
      failures++;
      if (error instanceof HaltError) {
        await publisher.halt(context, error.message).catch(() => undefined);
      } else {
        const isExpected = error instanceof RpcError && error.retryable;
        // What the pool could not see is told to it, so that a node that lags or leaves things out is not asked again.
        if (isExpected) runtime.chain.rpc.penalize();
        log[isExpected ? "debug" : "warn"]({ err: error, failures }, "indexing failed, trying again");
        status.reason = (error as Error).message;
        // Only a context that the database confirms is gone on with.
        if (!(error instanceof RpcError)) context = null;
      }
      await clock.sleep(Math.min(longestPauseMs, 50 * 2 ** Math.min(failures, 7)), signal).catch(() => undefined);
    }
  }
}

async function open(runtime: Runtime, sources: Sources, signal: AbortSignal): Promise<IndexerContext> {
  const { rpc } = runtime.chain;
  await checkChainIds(runtime, sources);
  await openIndex(runtime.db.indexer, rpc, sources, runtime.log);
  const fence = await drawFence(runtime.db.indexer);
  const checkpoint = await readCheckpoint(runtime.db.indexer);
  const world = await loadWorld(runtime.db.indexer, sources);
  const accountIds = createAccountIds();
  accountIds.reset(world.nextAccountId);
  return {
    pool: runtime.db.indexer,
    pipelined: runtime.db.pipelined,
    rpc,
    clock: runtime.clock,
    log: runtime.log,
    metrics: runtime.metrics,
    accountIds,
    fence,
    reorgWindowSeconds: runtime.config.REORG_WINDOW_SECONDS,
    signal,
    world,
    checkpoint: checkpoint!,
  };
}

/** An endpoint of another chain must not be asked anything. @throws HaltError */
async function checkChainIds(runtime: Runtime, sources: Sources): Promise<void> {
  const { rpc } = runtime.chain;
  for (let endpoint = 0; endpoint < rpc.endpoints; endpoint++) {
    const answer = await rpc.request({ method: "eth_chainId" }, { endpoint }).catch((error: unknown) => {
      // One that is down is no reason not to start with the others.
      if (error instanceof RpcError && rpc.endpoints > 1) return null;
      throw error;
    });
    if (answer !== null && Number(answer) !== sources.chainId) {
      throw new HaltError(
        `RPC endpoint ${endpoint} serves chain ${Number(answer)}, the manifest is of ${sources.chainId}`,
      );
    }
  }
}
