import type { Deps } from "../deps.ts";
import type { Header } from "./fetch/header.ts";
import type { IndexerContext } from "./indexerContext.ts";
import type { IndexerStatus } from "./indexerStatus.ts";
import { writeStatus } from "./store/writeStatus.ts";

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

export function createStatusPublisher(deps: Deps, status: IndexerStatus): StatusPublisher {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let lastHead: Header | null = null;
  let halted: string | null = null;

  const publish: StatusPublisher["publish"] = async (context, head, wanted) => {
    const state = halted === null ? wanted : "halted";
    const changed = status.state !== state || status.reason !== halted;
    lastHead = head ?? lastHead;
    Object.assign(status, { state, reason: halted, ...standing(context, lastHead) });
    if (lastHead) deps.metrics.headBlock.set(lastHead.number);
    const now = deps.clock.now();
    // A clock that was set back must not silence the status for as long.
    const isRecent = Math.abs(now - writtenAt) < renewEveryMs;
    if (!context || (!changed && isRecent)) return;
    writtenAt = now;
    await writeStatus(deps.db.indexer, context.fence, {
      state,
      reason: halted,
      headBlock: lastHead?.number ?? context.checkpoint.blockNumber,
      headTime: lastHead?.time ?? context.checkpoint.blockTime,
    });
  };

  return {
    publish,
    halt: async (context, reason) => {
      if (halted === null) deps.log.error({ reason }, "the indexer halts");
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
