import type pg from "pg";
import type { Runtime } from "../runtime.ts";
import type { Header } from "./fetch/headers.ts";
import type { IndexerContext } from "./indexerContext.ts";

/** Maximum interval between writes of the status row. Other processes read an old row as "no indexer runs". */
const renewEveryMs = 1_000;

export type PublishedState = "backfilling" | "live" | "halted";

/** Updates this process's status and the status row in the database. */
export type StatusPublisher = {
  publish(context: IndexerContext | null, head: Header | null, state: PublishedState): Promise<void>;
  /** Publishes `halted` until `resume`, also in calls of `publish` with another state. */
  halt(context: IndexerContext | null, reason: string): Promise<void>;
  resume(): void;
  isHalted(): boolean;
};

export function createStatusPublisher(runtime: Runtime, status: IndexerStatus): StatusPublisher {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let lastHead: Header | null = null;
  let halted: string | null = null;

  const publish: StatusPublisher["publish"] = async (context, head, wanted) => {
    const state = halted === null ? wanted : "halted";
    const changed = status.state !== state || status.reason !== halted;
    lastHead = head ?? lastHead;
    Object.assign(status, { state, reason: halted, ...toProgress(context, lastHead) });
    if (lastHead) runtime.metrics.headBlock.set(lastHead.number);
    const now = runtime.clock.now();
    // The absolute value is for a clock that was set back.
    const isRecent = Math.abs(now - writtenAt) < renewEveryMs;
    if (!context || (!changed && isRecent)) return;
    writtenAt = now;
    await writeStatus(runtime.db.indexer, context.fencingToken, {
      state,
      reason: halted,
      headBlock: lastHead?.number ?? context.checkpoint.blockNumber,
      headTime: lastHead?.time ?? context.checkpoint.blockTime,
    });
  };

  return {
    publish,
    halt: async (context, reason) => {
      if (halted === null) runtime.log.error({ reason }, "indexer halted");
      halted = reason;
      await publish(context, null, "halted");
    },
    resume: () => {
      halted = null;
      status.reason = null;
    },
    isHalted: () => halted !== null,
  };
}

function toProgress(context: IndexerContext | null, head: Header | null): Partial<IndexerStatus> {
  if (!context) return {};
  const lagSeconds = head ? Math.max(0, head.time - context.checkpoint.blockTime) : null;
  return { indexedBlock: context.checkpoint.blockNumber, headBlock: head?.number ?? null, lagSeconds };
}

/** The status of this process's indexer. */
export type IndexerStatus = {
  state: "starting" | "backfilling" | "live" | "standby" | "halted";
  indexedBlock: number | null;
  headBlock: number | null;
  /** Seconds between the block times of the last indexed block and of the head. */
  lagSeconds: number | null;
  /** Why the indexer is halted or cannot continue. */
  reason: string | null;
};

/** The chain is not the indexed chain, or reorganised deeper than the reorg window. No write may follow. */
export class HaltError extends Error {
  override name = "HaltError";
}

type StoredStatus = {
  state: "starting" | "backfilling" | "live" | "halted";
  reason: string | null;
  headBlock: number;
  headTime: number;
};

/** Writes the status for all processes. A leader with an old fencing token writes no row. */
async function writeStatus(pool: pg.Pool, fencingToken: number, status: StoredStatus): Promise<void> {
  await pool.query(
    `insert into chain.status (state, reason, head_block, head_time, updated_at)
     select $2, $3, $4, $5, now() from chain.checkpoint where fence = $1
     on conflict (only_row) do update set state = excluded.state, reason = excluded.reason,
       head_block = excluded.head_block, head_time = excluded.head_time, updated_at = excluded.updated_at`,
    [fencingToken, status.state, status.reason, status.headBlock, status.headTime],
  );
}
