import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../db/database.ts";
import { getIndexStatusRow, type IndexStatusRow } from "./queries.ts";

/** The status of the index, which any process can read from the database. */
export type IndexStatus = {
  state: "missing" | "starting" | "backfilling" | "live" | "halted";
  /** Why the index is not live, for operators. */
  reason: string | null;
  fromBlock: number | null;
  indexedBlock: number | null;
  indexedTime: number | null;
  headBlock: number | null;
  headTime: number | null;
  /** Lag behind the chain's head, in seconds of block time. */
  lagSeconds: number | null;
  /** Milliseconds since the leading indexer last reported, by the database's clock; large when no indexer runs. */
  silentMs: number | null;
};

/** Reads the status from two one-row tables. */
export async function readIndexStatus(db: Queryable): Promise<IndexStatus> {
  return toIndexStatus(await getIndexStatusRow(db));
}

export function toIndexStatus(row: IndexStatusRow | null): IndexStatus {
  if (!row) {
    return {
      state: "missing",
      reason: "the chain has not been indexed yet",
      fromBlock: null,
      indexedBlock: null,
      indexedTime: null,
      headBlock: null,
      headTime: null,
      lagSeconds: null,
      silentMs: null,
    };
  }
  return {
    state: row.state,
    reason: row.reason,
    fromBlock: row.from_block,
    indexedBlock: row.block_number,
    indexedTime: row.block_time,
    headBlock: row.head_block,
    headTime: row.head_time,
    lagSeconds: Math.max(0, row.head_time - row.block_time),
    silentMs: row.silent_ms,
  };
}

/** Maximum lag of a fresh index behind the head, in seconds of block time. */
export const maxLagSeconds = 30;

/**
 * Maximum time without a report of the leader, in milliseconds. After it, the lag of the index is unknown. As long
 * as the lag that a fresh index may have, so that reads continue while the primary database is replaced.
 */
export const maxSilenceMs = 30_000;

/** The status of an index whose rows may be served. All fields are known. */
export type FreshIndex = {
  state: "live";
  fromBlock: number;
  indexedBlock: number;
  indexedTime: number;
  headBlock: number;
  headTime: number;
  lagSeconds: number;
};

/** Removes URLs from a reason, because an endpoint's URL can contain a key. */
function withoutUrls(reason: string): string {
  return reason.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, "[endpoint]");
}

/** Returns why the index is not fresh; null for a fresh index. */
export function getStaleReason(status: IndexStatus): string | null {
  switch (status.state) {
    case "missing":
      return "The chain has not been indexed yet.";
    case "starting":
      return "The indexer is starting.";
    case "backfilling":
      return `The index is being built: block ${status.indexedBlock} of ${status.headBlock}.`;
    case "halted":
      return `The indexer has stopped${status.reason === null ? "" : `: ${withoutUrls(status.reason)}`}.`;
    case "live":
      if (status.silentMs === null || status.silentMs > maxSilenceMs) {
        return "The indexer has not reported recently; its data may be old.";
      }
      if (status.lagSeconds === null || status.lagSeconds > maxLagSeconds) {
        return `The index is ${status.lagSeconds} seconds behind the chain's head.`;
      }
      return null;
  }
}

/**
 * Requires a fresh index, so that stale data is unavailable and never served as fresh.
 *
 * @throws SlipwayError `index_unavailable` with the reason.
 */
export function requireFreshIndex(status: IndexStatus): FreshIndex {
  const reason = getStaleReason(status);
  if (reason !== null) throw new SlipwayError("index_unavailable", reason);
  return status as FreshIndex;
}
