import { hash } from "node:crypto";
import type { Client, Queryable } from "../../db/database.ts";
import { insertRows } from "./copyRows.ts";

/** A committed range of final blocks whose logs only one endpoint returned. */
export type UnconfirmedRange = {
  from: number;
  to: number;
  /** Number of logs without the gas station's, because a manifest can add the gas station later. */
  logs: number;
  /** Host of the endpoint. */
  host: string;
  /** The requested events (`toEventsKey`). */
  events: string;
};

/** Hashes the topics of a set of events. A version with other events counts other logs. */
export function toEventsKey(topics: readonly string[]): string {
  return hash("sha256", topics.toSorted().join(), "hex").slice(0, 16);
}

/** Maximum size of one row's range: if two endpoints differ, a check reads all logs of the range into memory. */
const maxLogs = 2_500;
const maxBlocks = 100_000;

/**
 * Adds a range. Merges it into the previous range if both are short, because an endpoint may limit ranges to a few
 * blocks. A range with launches starts a new row: earlier ranges were requested without the launches' contracts.
 */
export function addUnconfirmedRange(ranges: UnconfirmedRange[], range: UnconfirmedRange, hasLaunches: boolean): void {
  const last = ranges.at(-1);
  const isNext = !hasLaunches && last?.to === range.from - 1 && last.host === range.host;
  if (!isNext || last.logs + range.logs > maxLogs || range.to - last.from >= maxBlocks) {
    ranges.push(range);
    return;
  }
  last.to = range.to;
  last.logs += range.logs;
}

export async function writeUnconfirmedRanges(client: Client, ranges: readonly UnconfirmedRange[]): Promise<void> {
  if (ranges.length === 0) return;
  await insertRows(
    client,
    "unconfirmed_ranges",
    ranges.map(({ from, to, logs, host, events }) => ({ from_block: from, to_block: to, logs, host, events })),
    // A row can remain from an index that an earlier version emptied.
    `on conflict (from_block) do update set to_block = excluded.to_block, logs = excluded.logs, host = excluded.host,
       events = excluded.events, differs = false, checked_at = null`,
  );
}

type Row = { from_block: number; to_block: number; logs: number; host: string; events: string };

/** Reads the next range to check: an unchecked range, else the range whose check is oldest (at least 10 minutes). */
export async function readNextUnconfirmedRange(db: Queryable, events: string): Promise<UnconfirmedRange | null> {
  const { rows } = await db.query<Row>(
    `select from_block, to_block, logs, host, events from chain.unconfirmed_ranges
     where events = $1 and (checked_at is null or checked_at < now() - interval '10 minutes')
     order by checked_at nulls first, from_block limit 1`,
    [events],
  );
  const row = rows[0];
  return row ? { ...row, from: row.from_block, to: row.to_block } : null;
}

/** Counts the unconfirmed ranges without and with a recorded difference between endpoints. */
export async function countUnconfirmedRanges(
  db: Queryable,
  events: string,
): Promise<{ unchecked: number; different: number }> {
  const { rows } = await db.query<{ unchecked: number; different: number }>(
    `select (count(*) filter (where not differs))::int as unchecked, (count(*) filter (where differs))::int as different
     from chain.unconfirmed_ranges where events = $1`,
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
