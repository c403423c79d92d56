import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

export type DeniedImageRow = { id: string; dhash: string; within: number; reason: string; created_at: Date };

/** SQL of a `bit(64)` column as 16 hex digits. */
const toHex = (column: string) => `lpad(to_hex(${column}::bigint), 16, '0')`;
const columns = `id, ${toHex("dhash")} as dhash, within, reason, created_at`;

/** Finds the perceptual hash of a stored picture, in hex; null `dhash`: not hashed yet; null: no such picture. */
export async function findImageHash(db: Queryable, sha256: string): Promise<{ dhash: string | null } | null> {
  const { rows } = await db.query<{ dhash: string | null }>(
    `select ${toHex("dhash")} as dhash from app.images where sha256 = decode($1, 'hex')`,
    [sha256],
  );
  return rows[0] ?? null;
}

/**
 * Adds an entry to the deny list, or replaces the entry with the same hash, and blocks the stored pictures that match.
 * The audit log records the entry and the blocks.
 *
 * @param entry.dhash - In hex.
 * @param entry.administrator - The account of the administrator.
 */
export async function denyImages(
  pool: Database["api"],
  entry: { id: string; dhash: string; within: number; reason: string; administrator: string },
): Promise<DeniedImageRow & { blocked: number }> {
  const { id, dhash, within, reason, administrator } = entry;
  return await withTransaction(pool, async (client) => {
    await lockUntilCommit(client, "deniedImages");
    const { rows } = await client.query<DeniedImageRow>(
      `insert into app.denied_images (id, dhash, within, reason) values ($1, ('x' || $2)::bit(64), $3, $4)
       on conflict (dhash) where removed_at is null
         do update set within = excluded.within, reason = excluded.reason
       returning ${columns}`,
      [id, dhash, within, reason],
    );
    await log(client, { target: `dhash:${dhash}:${within}`, blocked: true, reason, administrator });
    const { rows: blocked } = await client.query<{ target: string }>(
      `update app.images set blocked_at = now()
       where blocked_at is null and bit_count(dhash # ('x' || $1)::bit(64)) <= $2
       returning encode(sha256, 'hex') as target`,
      [dhash, within],
    );
    await client.query(
      `insert into app.moderation_events (kind, target, blocked, reason, administrator)
       select 'image', target, true, $2, $3 from unnest($1::text[]) target`,
      [blocked.map(({ target }) => target), reason, administrator],
    );
    return { ...rows[0]!, blocked: blocked.length };
  });
}

const log = async (
  client: Queryable,
  event: { target: string; blocked: boolean; reason: string; administrator: string },
) =>
  await client.query(
    "insert into app.moderation_events (kind, target, blocked, reason, administrator) values ('image', $1, $2, $3, $4)",
    [event.target, event.blocked, event.reason, event.administrator],
  );

/** Removes an entry; pictures that it blocked stay blocked. @returns Whether the entry existed. */
export async function removeDenial(
  pool: Database["api"],
  { id, administrator }: { id: string; administrator: string },
): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const { rows } = await client.query<DeniedImageRow>(
      `update app.denied_images set removed_at = now() where id = $1 and removed_at is null returning ${columns}`,
      [id],
    );
    const [row] = rows;
    if (row === undefined) return false;
    const target = `dhash:${row.dhash}:${row.within}`;
    await log(client, { target, blocked: false, reason: row.reason, administrator });
    return true;
  });
}

/** Lists the deny list's entries, newest first. @param page.before - The id of the previous page's last entry. */
export async function listDeniedImages(
  db: Queryable,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<DeniedImageRow[]> {
  const { rows } = await db.query<DeniedImageRow>(
    `select ${columns} from app.denied_images
     where removed_at is null
       and ($2::uuid is null
         or (created_at, id) < (select b.created_at, b.id from app.denied_images b where b.id = $2::uuid))
     order by created_at desc, id desc limit $1`,
    [limit, before ?? null],
  );
  return rows;
}
