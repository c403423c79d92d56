import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

/** A processed picture of a token: its SHA-256 and perceptual hash in hex, and its change in `app.gallery`. */
export type TokenImage = { token: string; sha256: string; dhash: string | null; change: string; compared: boolean };

/** Lists the pictures of tokens that changed after a change of `app.gallery`, in the order of the changes. */
export async function listImagesAfter(db: Queryable, change: string, limit: number): Promise<TokenImage[]> {
  const { rows } = await db.query<TokenImage>(
    `select g.token, encode(g.sha256, 'hex') as sha256, lpad(to_hex(i.dhash::bigint), 16, '0') as dhash,
       g.change::text as change,
       exists (select from app.token_image_hashes k where k.token = g.token and k.sha256 = g.sha256) as compared
     from app.gallery g left join app.images i on i.sha256 = g.sha256
     where g.change > $1::bigint order by g.change limit $2`,
    [change, limit],
  );
  return rows;
}

/**
 * Compares a token's picture with those of all other launches, and stores the earliest similar launch of it and of each
 * similar later launch: pictures are not processed in the order of the launches. Does nothing for a token that is not
 * indexed any more.
 */
export async function storeComparedImage(
  pool: Database["api"],
  { token, sha256, dhash }: { token: string; sha256: string; dhash: string },
): Promise<void> {
  const picture = [token, sha256, dhash];
  await withTransaction(pool, async (client) => {
    await lockUntilCommit(client, "similarImages");
    const { rowCount } = await client.query(
      `insert into app.token_image_hashes as k (token, sha256, dhash, resembles)
       select address, decode($2, 'hex'), ('x' || $3)::bit(64), (${selectSimilar("e.id < own.id")} order by e.id limit 1)
       from chain.tokens where address = $1
       on conflict (token) do update
         set sha256 = excluded.sha256, dhash = excluded.dhash, resembles = excluded.resembles`,
      picture,
    );
    if (rowCount === 0) return;
    await client.query("delete from app.token_image_hash_parts where token = $1", [token]);
    await client.query(
      `insert into app.token_image_hash_parts (part, bits, token)
       select part, bits, $1 from app.split_image_hash(('x' || $2)::bit(64))`,
      [token, dhash],
    );
    // The token had another picture before.
    await client.query(
      `update app.token_image_hashes set resembles = null
       where resembles = $1 and sha256 <> decode($2, 'hex') and bit_count(dhash # ('x' || $3)::bit(64)) > 5`,
      picture,
    );
    await client.query(
      `update app.token_image_hashes k set resembles = $1
       where k.token in (${selectSimilar("e.id > own.id")}) and not exists (
         select from chain.tokens r, chain.tokens own
         where r.address = k.resembles and own.address = $1 and r.id < own.id)`,
      picture,
    );
  });
}

/** SQL of the indexed launches (`e`) with a picture similar to that of the launch `own`: $1 token, $2 SHA-256, $3 hash. */
const selectSimilar = (condition: string) => `
  select e.address from app.find_similar_images(decode($2, 'hex'), ('x' || $3)::bit(64)) s(token)
  join chain.tokens e on e.address = s.token
  join chain.tokens own on own.address = $1
  where ${condition}`;
