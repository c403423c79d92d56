import type { Listing } from "@slipway/protocol/listing";
import type { Database, Queryable } from "../../db/database.ts";
import type { Feed } from "./feedSettings.ts";
import { toColumns } from "./listing.ts";

/** A claimed reading of a feed. `attempt` is 1 for the first attempt since the last success. */
export type FeedClaim = {
  attempt: number;
  etag: string | null;
  lastModified: string | null;
  /** Number of consecutive earlier readings that would have removed more than half of the listings. */
  shrunk: number;
};

/** Prepares the rows of the configured feeds, and removes the listings of feeds that are no longer configured. */
export async function prepareFeeds(db: Queryable, feeds: readonly Feed[]): Promise<void> {
  const sources = feeds.map(({ source }) => source);
  await db.query("delete from app.listings where source <> 'own' and source <> all($1)", [sources]);
  await db.query(
    `update app.listing_sources set url = null, fetched_at = null, error = null, etag = null, last_modified = null
     where source <> 'own' and source <> all($1)`,
    [sources],
  );
  for (const { source, url } of feeds) {
    // Clears the validators for a new URL, because they belong to the former document.
    await db.query(
      `insert into app.listing_sources as s (source, url) values ($1, $2)
       on conflict (source) do update set url = excluded.url, etag = null, last_modified = null, shrunk = 0,
         attempts = 0, next_at = now()
       where s.url is distinct from excluded.url`,
      [source, url],
    );
  }
}

/** Claims the reading of a feed if it is due. A claim without a result expires after `leaseMs`. */
export async function claimFeed(db: Queryable, source: string, leaseMs: number): Promise<FeedClaim | null> {
  const { rows } = await db.query<FeedClaim>(
    `update app.listing_sources set attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
     where source = (
       select source from app.listing_sources where source = $1 and next_at <= now() for update skip locked)
     returning attempts as attempt, etag, last_modified as "lastModified", shrunk`,
    [source, leaseMs],
  );
  return rows[0] ?? null;
}

/** Releases a claim without counting its attempt. */
export async function releaseFeed(db: Queryable, source: string, claim: FeedClaim): Promise<void> {
  await db.query(
    "update app.listing_sources set attempts = attempts - 1, next_at = now() where source = $1 and attempts = $2",
    [source, claim.attempt],
  );
}

export type FeedResult =
  | { outcome: "unchanged" }
  | { outcome: "stored"; skipped: number; etag: string | null; lastModified: string | null }
  | { outcome: "held_back" }
  | { outcome: "failed"; error: string };

/** Records the result of a reading. @param nextInMs - Time until the next reading. */
export async function finishFeed(
  db: Queryable,
  source: string,
  claim: FeedClaim,
  result: FeedResult,
  nextInMs: number,
): Promise<void> {
  const values: unknown[] = [source, claim.attempt, nextInMs];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const good = "attempts = 0, error = null, fetched_at = now(), shrunk = 0";
  const set = {
    unchanged: () => good,
    stored: ({ skipped, etag, lastModified }: FeedResult & { outcome: "stored" }) =>
      `${good}, skipped = ${bind(skipped)}, etag = ${bind(etag)}, last_modified = ${bind(lastModified)}`,
    held_back: () => "attempts = 0, error = 'held_back', shrunk = shrunk + 1",
    failed: ({ error }: FeedResult & { outcome: "failed" }) => `error = ${bind(error)}`,
  }[result.outcome] as (result: FeedResult) => string;
  await db.query(
    `update app.listing_sources set ${set(result)}, next_at = now() + $3 * interval '1 millisecond'
     where source = $1 and attempts = $2`,
    values,
  );
}

/** Lists the stored listings of a source with the hash of their entries; a feed cannot change blocked listings. */
export async function listStored(
  db: Queryable,
  source: string,
): Promise<Map<string, { bodyHash: string; blocked: boolean }>> {
  const { rows } = await db.query<{ id: string; hash: string; blocked: boolean }>(
    `select id, encode(body_hash, 'hex') as hash, blocked_at is not null as blocked from app.listings where source = $1`,
    [source],
  );
  return new Map(rows.map(({ id, hash, blocked }) => [id, { bodyHash: hash, blocked }]));
}

/**
 * Maximum number of listings that one statement writes, because other writers wait for the statement, and requests wait
 * while its values are serialized.
 */
export const listingsPerStatement = 100;

/** A listing of a feed, with its id in the directory and the hash of its content in hex. */
export type HashedListing = { id: string; bodyHash: string; listing: Listing };

/** Stores listings of a source. @param listings - At most `listingsPerStatement`. */
export async function storeExternal(
  pool: Database["api"],
  source: string,
  listings: readonly HashedListing[],
): Promise<void> {
  const rows = listings.map(({ id, bodyHash, listing }) => {
    const { listing: _, image_sha256: _sha256, ...columns } = toColumns(listing, null);
    return { id, body_hash: bodyHash, listing, ...columns };
  });
  await pool.query(
    `insert into app.listings (id, source, body_hash, kind, listing, name, search_text, category, country, lat, lon,
       image_cid, merge_key, blocked_at)
     select r.id, $1, decode(r.body_hash, 'hex'), r.kind, r.listing, r.name, r.search_text, r.category, r.country,
       r.lat, r.lon, r.image_cid, r.merge_key,
       (select b.blocked_at from chain.checkpoint c, app.blocked_tokens b
        where r.merge_key = 'token:' || c.chain_id || ':' || b.token and b.token = split_part(r.merge_key, ':', 3))
     from jsonb_to_recordset($2::jsonb) as r (id text, body_hash text, kind text, listing jsonb, name text,
       search_text text, category text, country text, lat float8, lon float8, image_cid text, merge_key text)
     on conflict (id) do update set body_hash = excluded.body_hash, kind = excluded.kind, listing = excluded.listing,
       name = excluded.name, search_text = excluded.search_text, category = excluded.category,
       country = excluded.country, lat = excluded.lat, lon = excluded.lon, image_cid = excluded.image_cid,
       merge_key = excluded.merge_key, updated_at = now()`,
    [source, JSON.stringify(rows)],
  );
}

/** Removes listings that their source no longer contains. @param ids - At most `listingsPerStatement`. */
export async function removeExternal(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query("delete from app.listings where id = any($1) and source <> 'own' and blocked_at is null", [ids]);
}

/** Lists the results of the last readings of each configured feed. */
export async function listFeedStates(
  db: Queryable,
): Promise<{ source: string; fetched_at: Date | null; error: string | null; skipped: number }[]> {
  const { rows } = await db.query(
    "select source, fetched_at, error, skipped from app.listing_sources where url is not null",
  );
  return rows;
}
