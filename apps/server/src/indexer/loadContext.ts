import type pg from "pg";
import type { Runtime } from "../runtime.ts";
import type { EventCatalog } from "./events/eventModule.ts";
import type { LogChecks } from "./fetch/logChecks.ts";
import type { IndexerContext } from "./indexerContext.ts";
import type { Sources } from "./sources.ts";
import { createAccountIds } from "./store/accountIds.ts";
import { readCheckpoint } from "./store/checkpoint.ts";
import { acquireFencingToken } from "./store/leadership.ts";
import { loadIndexState } from "./store/loadIndexState.ts";

export type ContextOptions = {
  pools: { pool: pg.Pool; pipelined: pg.Pool };
  sources: Sources;
  events: EventCatalog;
  checks: LogChecks;
  signal: AbortSignal;
  isCopy: boolean;
};

/** Acquires the next fencing token of an opened index, and loads its state. */
export async function loadContext(
  runtime: Pick<Runtime, "clock" | "log" | "metrics" | "config"> & { chain: Pick<Runtime["chain"], "rpc"> },
  { pools, sources, events, checks, signal, isCopy }: ContextOptions,
): Promise<IndexerContext> {
  const { pool, pipelined } = pools;
  const fencingToken = await acquireFencingToken(pool);
  const checkpoint = await readCheckpoint(pool);
  const state = await loadIndexState(pool, sources, events);
  const accountIds = createAccountIds();
  accountIds.reset(state.nextAccountId);
  return {
    pool,
    pipelined,
    rpc: runtime.chain.rpc,
    clock: runtime.clock,
    log: runtime.log,
    metrics: runtime.metrics,
    events,
    checks,
    isCopy,
    accountIds,
    fencingToken,
    reorgWindowSeconds: runtime.config.REORG_WINDOW_SECONDS,
    signal,
    state,
    checkpoint: checkpoint!,
    headsComparedAt: 0,
  };
}
