import type { QueryConfig } from "pg";
import type { Queryable } from "../../db/database.ts";

/**
 * SQL of the database's time, in milliseconds. A window is shared by processes, whose clocks can differ: a process with
 * another time would end the windows of the others, or extend them.
 */
const nowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** The points that a subject has consumed in its window, and the time until the window ends. */
export type SharedWindow = { points: number; reset_ms: number };

/**
 * Consumes points in the window of a subject. Opens a window if there is none, or if its end is not possible.
 *
 * The update takes the time again: it may have waited for the transaction that opened the window, whose time is then later
 * than that of the insert.
 */
export function createConsume(key: string, points: number, windowMs: number): QueryConfig {
  return {
    name: "consume-rate-limit",
    text: `
      insert into app.rate_limits as w (key, points, expire) values ($1, $2, ${nowMs} + $3::bigint)
      on conflict (key) do update set (points, expire) = (
        select case when ended then excluded.points else w.points + excluded.points end,
          case when ended then now + $3::bigint else w.expire end
        from (select now, w.expire <= now or w.expire > now + $3::bigint as ended from (select ${nowMs} as now) t) e)
      returning points, greatest(0, expire - ${nowMs})::float8 as reset_ms`,
    values: [key, points, windowMs],
  };
}

/** Deletes windows that have ended, and those with an end that is not possible. */
export async function deleteEndedWindows(db: Queryable, longestWindowMs: number): Promise<void> {
  await db.query(`delete from app.rate_limits where expire < ${nowMs} or expire > ${nowMs} + $1::bigint`, [
    longestWindowMs,
  ]);
}
