import type { Queryable } from "../../db/database.ts";
import type { PinningErrorCode } from "../../providers/pinning/pinningService.ts";

/** State of a pin: done, failed with a code, or neither while an attempt is in progress. */
export type PinRow = { pinned: boolean; error: PinningErrorCode | null };

/** A pin that this process has claimed. */
export type PinClaim = { sha256: string; cid: string; attempts: number };

/** Finds the pin of a picture. @param sha256 - In hex. @returns null if there was no attempt. */
export async function findPin(db: Queryable, sha256: string): Promise<PinRow | null> {
  const { rows } = await db.query<PinRow>(
    "select pinned_at is not null as pinned, error from app.image_pins where sha256 = decode($1, 'hex')",
    [sha256],
  );
  return rows[0] ?? null;
}

/**
 * Claims the pin of an uploaded picture. A claim without a result expires after `leaseMs`.
 *
 * @returns The number of failed attempts; null if the pin is done, in progress, or failed and not due yet.
 */
export async function claimPin(db: Queryable, sha256: string, leaseMs: number): Promise<number | null> {
  const { rows } = await db.query<{ attempts: number }>(
    `insert into app.image_pins as p (sha256, next_at)
     values (decode($1, 'hex'), now() + $2 * interval '1 millisecond')
     on conflict (sha256) do update set next_at = excluded.next_at, error = null
       where p.pinned_at is null and (p.next_at is null or p.next_at <= now())
     returning attempts`,
    [sha256, leaseMs],
  );
  return rows[0]?.attempts ?? null;
}

/** Claims due pins of unblocked pictures for this process, the longest due first. */
export async function claimDuePins(db: Queryable, limit: number, leaseMs: number): Promise<PinClaim[]> {
  const { rows } = await db.query<PinClaim>(
    `update app.image_pins p set next_at = now() + $2 * interval '1 millisecond', error = null
     from app.images i
     where i.sha256 = p.sha256 and p.sha256 in (
       select due.sha256 from app.image_pins due join app.images using (sha256)
       where due.pinned_at is null and due.next_at <= now() and blocked_at is null
       order by due.next_at limit $1 for update of due skip locked
     )
     returning encode(p.sha256, 'hex') as sha256, i.cid, p.attempts`,
    [limit, leaseMs],
  );
  return rows;
}

/** Schedules pictures that were uploaded without configured pinning. @returns The number of them, up to 1,000. */
export async function schedulePins(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `insert into app.image_pins (sha256, next_at)
     select sha256, now() from app.images i
     where i.uploaded and not exists (select from app.image_pins p where p.sha256 = i.sha256) limit 1000
     on conflict do nothing`,
  );
  return rowCount ?? 0;
}

export async function storePinned(db: Queryable, sha256: string): Promise<void> {
  await db.query(
    `update app.image_pins set pinned_at = now(), next_at = null, error = null
     where sha256 = decode($1, 'hex') and pinned_at is null`,
    [sha256],
  );
}

/** Stores a failed attempt. @param retryInMs - Time until the next attempt; null for no further attempt. */
export async function storePinFailure(
  db: Queryable,
  sha256: string,
  error: PinningErrorCode,
  retryInMs: number | null,
): Promise<void> {
  await db.query(
    `update app.image_pins
     set attempts = attempts + 1, error = $2, next_at = now() + $3 * interval '1 millisecond'
     where sha256 = decode($1, 'hex') and pinned_at is null`,
    [sha256, error, retryInMs],
  );
}

/** Releases an unused claim; the pin is due immediately. */
export async function releasePin(db: Queryable, sha256: string): Promise<void> {
  await db.query("update app.image_pins set next_at = now() where sha256 = decode($1, 'hex') and pinned_at is null", [
    sha256,
  ]);
}
