import { createHash, type Hash, hash } from "node:crypto";
import type { RawLog } from "@slipway/protocol/rawLog";
import type { Client, Queryable } from "../../db/database.ts";
import { addToDigest, readDigest } from "../fetch/digestLogs.ts";
import { insertRows } from "./copyRows.ts";

/** A committed range whose logs only one endpoint returned. Near the head, several may have returned different blocks. */
export type UnconfirmedRange = {
  from: number;
  to: number;
  /** Number of logs without the gas station's, because a manifest can add the gas station later. */
  logs: number;
  /** SHA-256 of these logs (`digestLogs`). Null: an earlier version indexed the range. */
  digest: string | null;
  /** Hosts of the endpoints, comma-separated. */
  host: string;
  /** The requested events (`toEventsKey`). */
  events: string;
  /** Whether the range was read near the head. It is checked when it is final. */
  recent: boolean;
};

/** A range before its commit: later logs can be added to its digest. */
export type PendingRange = Omit<UnconfirmedRange, "digest"> & { digest: Hash };

/** Hashes the topics of a set of events. A version with other events counts other logs. */
export function toEventsKey(topics: readonly string[]): string {
  return hash("sha256", topics.toSorted().join(), "hex").slice(0, 16);
}

/** Maximum size of one row's range: if two endpoints differ, a check reads all logs of the range into memory. */
const maxLogs = 2_500;
const maxBlocks = 100_000;

/**
 * Adds a range with its logs. Merges it into the previous range if both are short, because an endpoint may limit ranges
 * to a few blocks. A range that adds contracts starts a new row: earlier ranges were requested without them.
 */
export function addUnconfirmedRange(
  ranges: PendingRange[],
  range: Omit<PendingRange, "logs" | "digest">,
  logs: readonly RawLog[],
  addsContracts: boolean,
): void {
  const last = ranges.at(-1);
  const isNext = !addsContracts && last?.to === range.from - 1 && last.host === range.host;
  if (!isNext || last.logs + logs.length > maxLogs || range.to - last.from >= maxBlocks) {
    const digest = createHash("sha256");
    addToDigest(digest, logs);
    ranges.push({ ...range, logs: logs.length, digest });
    return;
  }
  last.to = range.to;
  last.logs += logs.length;
  addToDigest(last.digest, logs);
}

export async function writeUnconfirmedRanges(client: Client, ranges: readonly PendingRange[]): Promise<void> {
  if (ranges.length === 0) return;
  await insertRows(
    client,
    "unconfirmed_ranges",
    ranges.map(({ from, to, digest, ...row }) => ({
      ...{ from_block: from, to_block: to, digest: readDigest(digest) },
      ...row,
    })),
    // A row can remain from an index that an earlier version emptied.
    `on conflict (from_block) do update set to_block = excluded.to_block, logs = excluded.logs, host = excluded.host,
       events = excluded.events, digest = excluded.digest, recent = excluded.recent, differs = false, checked_at = null`,
  );
}

/** Deletes the ranges above a block, whose batches are undone. */
export async function deleteUnconfirmedRanges(client: Client, aboveBlock: number): Promise<void> {
  await client.query("delete from chain.unconfirmed_ranges where to_block > $1", [aboveBlock]);
}

/** SQL condition: no reorganisation can undo the range any more. */
const isFinal = "(not recent or to_block <= (select min(block_number) from chain.headers))";

type Row = Omit<UnconfirmedRange, "from" | "to"> & { from_block: number; to_block: number };

/** Reads the next range to check: an unchecked range, else the range whose check is oldest (at least 10 minutes). */
export async function readNextUnconfirmedRange(db: Queryable, events: string): Promise<UnconfirmedRange | null> {
  const { rows } = await db.query<Row>(
    `select from_block, to_block, logs, digest, host, events, recent from chain.unconfirmed_ranges
     where events = $1 and ${isFinal} and (checked_at is null or checked_at < now() - interval '10 minutes')
     order by checked_at nulls first, from_block limit 1`,
    [events],
  );
  const row = rows[0];
  return row ? { ...row, from: row.from_block, to: row.to_block } : null;
}

/** Number of unconfirmed ranges by state. A recent range has the state `recent` until its first check. */
export type UnconfirmedCounts = { unchecked: number; different: number; recent: number };

/** Counts the unconfirmed ranges. */
export async function countUnconfirmedRanges(db: Queryable, events: string): Promise<UnconfirmedCounts> {
  const { rows } = await db.query<UnconfirmedCounts>(
    `select (count(*) filter (where not differs and not is_new))::int as unchecked,
       (count(*) filter (where differs))::int as different,
       (count(*) filter (where not differs and is_new))::int as recent
     from (select differs, recent and checked_at is null as is_new from chain.unconfirmed_ranges where events = $1) r`,
    [events],
  );
  return rows[0]!;
}

/** SQL condition: the caller is still the leader. A later leader may have rebuilt the index with other ranges. */
const isLeader = "exists (select from chain.checkpoint where fence = $2)";

/** Removes a range that another endpoint or receipts confirm. */
export async function confirmRange(db: Queryable, from: number, fencingToken: number): Promise<void> {
  await db.query(`delete from chain.unconfirmed_ranges where from_block = $1 and ${isLeader}`, [from, fencingToken]);
}

/** Records a check that did not confirm a range, and whether another endpoint has other logs. */
export async function recordCheck(
  db: Queryable,
  from: number,
  fencingToken: number,
  isDifferent: boolean,
): Promise<void> {
  await db.query(
    `update chain.unconfirmed_ranges set differs = differs or $3, checked_at = now()
     where from_block = $1 and ${isLeader}`,
    [from, fencingToken, isDifferent],
  );
}
