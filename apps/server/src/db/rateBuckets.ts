import type { Queryable } from "./database.ts";

/** Charges a bucket with the time that it takes to refill what was taken. */
export type BucketCharge = { key: string; refillMs: number };

/**
 * Charges shared buckets, all in one statement and by the database's clock.
 *
 * @returns for each key, in how many milliseconds its bucket is full again.
 */
export async function chargeRateBuckets(
  db: Queryable,
  charges: readonly BucketCharge[],
): Promise<ReadonlyMap<string, number>> {
  // In the order of the keys: two processes that lock the same rows would otherwise wait for each other.
  const { rows } = await db.query<{ key: string; full_in_ms: number }>(
    `insert into app.rate_buckets as bucket (key, full_at)
     select key, now() + refill_ms * interval '1 millisecond'
     from unnest($1::text[], $2::float8[]) as charge (key, refill_ms) order by key
     on conflict (key) do update
       set full_at = greatest(bucket.full_at, now()) + (excluded.full_at - now())
     returning key, (extract(epoch from full_at - now()) * 1000)::float8 as full_in_ms`,
    [charges.map(({ key }) => key), charges.map(({ refillMs }) => refillMs)],
  );
  return new Map(rows.map(({ key, full_in_ms }) => [key, full_in_ms]));
}

/** Removes buckets that are full. */
export async function forgetFullBuckets(db: Queryable): Promise<void> {
  await db.query("delete from app.rate_buckets where full_at < now()");
}
