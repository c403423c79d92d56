import type pg from "pg";
import type { Runtime } from "../runtime.ts";
import type { Header } from "./fetch/headers.ts";
import type { IndexerContext } from "./indexerContext.ts";

/** How often the status row is renewed when nothing changes: other processes take silence for death. */
const renewEveryMs = 1_000;

export type PublishedState = "backfilling" | "live" | "halted";

/** Keeps this process's status and the status row in the database. */
export type StatusPublisher = {
  publish(context: IndexerContext | null, head: Header | null, state: PublishedState): Promise<void>;
  /** A halt lasts until `resume`, whatever is published meanwhile. */
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
    Object.assign(status, { state, reason: halted, ...standing(context, lastHead) });
    if (lastHead) runtime.metrics.headBlock.set(lastHead.number);
    const now = runtime.clock.now();
    // A clock that was set back must not silence the status for as long.
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
      if (halted === null) runtime.log.error({ reason }, "the indexer halts");
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

function standing(context: IndexerContext | null, head: Header | null): Partial<IndexerStatus> {
  if (!context) return {};
  const lagSeconds = head ? Math.max(0, head.time - context.checkpoint.blockTime) : null;
  return { indexedBlock: context.checkpoint.blockNumber, headBlock: head?.number ?? null, lagSeconds };
}

/** How this process's indexer is. */
export type IndexerStatus = {
  state: "starting" | "backfilling" | "live" | "standby" | "halted";
  indexedBlock: number | null;
  headBlock: number | null;
  /** Block time between the index and the head. */
  lagSeconds: number | null;
  /** Why it is halted or cannot go on. */
  reason: string | null;
};

/** The chain is not the one that was indexed, or went back further than the reorg window: nothing may be written. */
export class HaltError extends Error {
  override name = "HaltError";
}

export type StoredStatus = {
  state: "starting" | "backfilling" | "live" | "halted";
  reason: string | null;
  headBlock: number;
  headTime: number;
};

/** Tells every process how the index is; an earlier leader's word is not taken any more. */
export async function writeStatus(pool: pg.Pool, fence: number, status: StoredStatus): Promise<void> {
  await pool.query(
    `insert into chain.status (state, reason, head_block, head_time, updated_at)
     select $2, $3, $4, $5, now() from chain.checkpoint where fence = $1
     on conflict (only_row) do update set state = excluded.state, reason = excluded.reason,
       head_block = excluded.head_block, head_time = excluded.head_time, updated_at = excluded.updated_at`,
    [fence, status.state, status.reason, status.headBlock, status.headTime],
  );
}
