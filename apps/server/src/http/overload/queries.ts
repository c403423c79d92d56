import type { Queryable } from "../../db/database.ts";

/** Deletes windows that have ended, and those that were written before the machines' clocks were set back. */
export async function deleteEndedWindows(db: Queryable, nowMs: number, longestWindowMs: number): Promise<void> {
  await db.query("delete from app.rate_limits where expire < $1 or expire > $2", [nowMs, nowMs + longestWindowMs]);
}
