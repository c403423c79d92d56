import type { Queryable } from "../../db/database.ts";

/** A claimed picture of a token. `attempt` is 1 for the first attempt since the last success. */
export type TokenImageClaim = { token: string; uri: string; attempt: number };

/** Position of the search for new pictures: the last token id, and the last change of token manifests. */
export type Discovered = { tokenId: number; change: string };

/** Maximum token ids, and token manifests, that one statement examines. */
const idWindow = 20_000;
const pageSize = 1_000;

/** Number of latest ids to examine again: a reorganisation reassigns ids, and no reorg window has more launches. */
const recheckedIds = 10_000;

/**
 * Records the pictures of tokens that launched, or whose token manifest changed, since the position `from`. A picture
 * with a new URI is processed again; the earlier picture stays until then.
 *
 * @returns The next position, and whether there may be more pictures now.
 */
export async function discoverTokenImages(
  db: Queryable,
  from: Discovered,
): Promise<{ next: Discovered; more: boolean }> {
  const toId = from.tokenId + idWindow;
  const { rows: tokens } = await db.query<{ token: string; uri: string }>(
    `select address as token, image as uri from chain.tokens t
     where id > $1 and id <= $2 and image is not null
       and not exists (select from app.token_images i where i.token = t.address)`,
    [from.tokenId, toId],
  );
  const { rows: last } = await db.query<{ id: number | null }>("select max(id) as id from chain.tokens");
  const lastId = last[0]!.id ?? 0;
  const { rows: documents } = await db.query<{ change: string; token: string; uri: string | null }>(
    `select m.change::text as change, m.token, m.image as uri from app.token_manifests m
     where m.change > $1::bigint order by m.change limit ${pageSize}`,
    [from.change],
  );
  const found = new Map<string, string>();
  for (const { token, uri } of documents) if (uri !== null) found.set(token, uri);
  for (const { token, uri } of tokens) found.set(token, uri);
  // The launch's own picture takes precedence over the picture of the token manifest.
  await db.query(
    `insert into app.token_images as i (token, uri)
     select token, uri from unnest($1::text[], $2::text[]) as n (token, uri)
     on conflict (token) do update set uri = excluded.uri, attempts = 0, error = null, next_at = now()
       where i.uri <> excluded.uri
         and not exists (select from chain.tokens t where t.address = i.token and t.image is not null)`,
    [[...found.keys()], [...found.values()]],
  );
  const hasMoreIds = toId < lastId;
  return {
    next: {
      tokenId: hasMoreIds ? toId : Math.max(from.tokenId, lastId - recheckedIds),
      change: documents.at(-1)?.change ?? from.change,
    },
    more: hasMoreIds || documents.length === pageSize,
  };
}

/** Schedules the ipfs pictures that were not fetched without a gateway. */
export async function scheduleIpfsImages(db: Queryable, error: string): Promise<void> {
  await db.query("update app.token_images set next_at = now(), attempts = 0 where error = $1", [error]);
}

/**
 * Claims due pictures of indexed tokens for this process, the longest due first.
 *
 * The gallery items also require indexed tokens: the insertion of a token that finds no row here does not wait for the
 * storing of pictures (0034_gallery_items.sql), so no picture may be stored between that insertion and its commit. A
 * claim sees the token, so the insertion is committed, or the launch returns after a reorganisation and finds the row.
 */
export async function claimTokenImages(db: Queryable, limit: number, leaseMs: number): Promise<TokenImageClaim[]> {
  const { rows } = await db.query<TokenImageClaim>(
    `update app.token_images set attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
     where token in (
       select i.token from app.token_images i
       where i.next_at <= now() and exists (select from chain.tokens t where t.address = i.token)
       order by i.next_at limit $1 for update of i skip locked
     )
     returning token, uri, attempts as attempt`,
    [limit, leaseMs],
  );
  return rows;
}

/** Releases a claim without counting its attempt. */
export async function releaseTokenImage(db: Queryable, { token, uri, attempt }: TokenImageClaim): Promise<void> {
  await db.query(
    `update app.token_images set attempts = attempts - 1, next_at = now()
     where token = $1 and attempts = $2 and uri = $3`,
    [token, attempt, uri],
  );
}

/** @param sha256 - The hash of the processed picture, in hex. */
export async function storeTokenImage(db: Queryable, { token, uri }: TokenImageClaim, sha256: string): Promise<void> {
  await db.query(
    `update app.token_images
     set sha256 = decode($3, 'hex'), processed_at = now(), attempts = 0, error = null, next_at = null
     where token = $1 and uri = $2`,
    [token, uri, sha256],
  );
}

/** Stores the error of an attempt; an earlier picture stays. @param nextInMs - Null for no further attempt. */
export async function storeTokenImageError(
  db: Queryable,
  { token, uri, attempt }: TokenImageClaim,
  error: string,
  nextInMs: number | null,
): Promise<void> {
  await db.query(
    `update app.token_images set error = $4, next_at = now() + $5 * interval '1 millisecond'
     where token = $1 and uri = $2 and attempts = $3`,
    [token, uri, attempt, error, nextInMs],
  );
}

/** Finds the SHA-256 (hex) of the picture stored under a CID or SHA-256; null if there is none. */
export async function findStoredImage(
  db: Queryable,
  { cid, sha256 }: { cid: string | null; sha256: string | null },
): Promise<string | null> {
  const { rows } = await db.query<{ sha256: string }>(
    "select encode(sha256, 'hex') as sha256 from app.images where cid = $1 or sha256 = decode($2, 'hex') limit 1",
    [cid, sha256],
  );
  return rows[0]?.sha256 ?? null;
}
