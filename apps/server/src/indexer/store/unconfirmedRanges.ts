import { hash } from "node:crypto";
import type { Client, Queryable } from "../../db/database.ts";
import { insertRows } from "./copyRows.ts";

/** A committed range of final blocks whose logs one endpoint alone reported. */
export type UnconfirmedRange = {
  from: number;
  to: number;
  /** Its logs of launches: those of the gas station are not counted, which may have been added later. */
  logs: number;
  /** Host of the endpoint. */
  host: string;
  /** The events that were asked for (`toEventsKey`). */
  events: string;
};

/** Identifies a set of events by their topics: a version with others counts other logs. */
export function toEventsKey(topics: readonly string[]): string {
  return hash("sha256", topics.toSorted().join(), "hex").slice(0, 16);
}

/** Maximum range of one row: where two endpoints differ, a check reads all logs of the row at once. */
const maxLogs = 2_500;
const maxBlocks = 100_000;

/**
 * Adds a range, as a part of the one before where they are short: an endpoint may limit ranges to a few blocks. A range
 * with launches begins another row: it was the first that was asked for the logs of their contracts, also earlier ones.
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
    // Row of an index that an earlier version emptied.
    `on conflict (from_block) do update set to_block = excluded.to_block, logs = excluded.logs, host = excluded.host,
       events = excluded.events, differs = false, checked_at = null`,
  );
}

type Row = { from_block: number; to_block: number; logs: number; host: string; events: string };

/** The next range to check: one that was never checked, else the one whose last check is oldest and not recent. */
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

/** How many ranges are unconfirmed, and in how many of them another endpoint has other logs. */
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

/** Only the leader changes rows: the ranges of a later one are others. */
const isLeader = "exists (select from chain.checkpoint where fence = $2)";

/** Removes a range that another endpoint or receipts confirm. */
export async function confirmRange(db: Queryable, from: number, fencingToken: number): Promise<void> {
  await db.query(`delete from chain.unconfirmed_ranges where from_block = $1 and ${isLeader}`, [from, fencingToken]);
}

/** Records that a check did not confirm a range, and whether another endpoint has other logs. It is checked again later. */
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
