import type { Queryable } from "../../db/database.ts";

/** Lists pictures without a perceptual hash, by their SHA-256 in hex. */
export async function listUnhashedImages(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ sha256: string }>(
    `select encode(sha256, 'hex') as sha256 from app.images
     where dhash is null and sha256 > decode($1, 'hex') order by app.images.sha256 limit $2`,
    [after, limit],
  );
  return rows.map(({ sha256 }) => sha256);
}

/** Stores the hash of a picture; blocks a picture that the deny list matches, with an entry in the audit log. */
export async function storeImageHash(db: Queryable, sha256: string, dhash: string): Promise<void> {
  await db.query(
    `with hashed as (
       update app.images i
       set dhash = ('x' || $2)::bit(64),
         blocked_at = case when app.is_denied_image(('x' || $2)::bit(64)) then coalesce(i.blocked_at, now()) else i.blocked_at end
       from (select sha256, blocked_at from app.images where sha256 = decode($1, 'hex') for update) e
       where i.sha256 = e.sha256
       returning i.sha256, e.blocked_at is null and i.blocked_at is not null as is_new
     )
     insert into app.moderation_events (kind, target, blocked, reason)
     select 'image', encode(sha256, 'hex'), true, 'It resembles a picture of the deny list.' from hashed where is_new`,
    [sha256, dhash],
  );
}
