import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

export type NamedToken = { id: number; address: string; name: string; symbol: string };

/**
 * Lists tokens whose name was not compared yet, in the order of their launches.
 *
 * @param fromId - The lowest id of the listed tokens.
 */
export async function listNewNames(pool: Database["api"], fromId: number, limit: number): Promise<NamedToken[]> {
  const { rows } = await pool.query<NamedToken>(
    `select id, address, name, symbol from chain.tokens t
     where id >= $1 and not exists (select from app.token_names n where n.token = t.address)
     order by id limit $2`,
    [fromId, limit],
  );
  return rows;
}

/**
 * Stores tokens in the order of their launches, each with the earlier token that has one of its keys. A key whose token
 * is no longer indexed passes to the next token.
 */
export async function storeNames(
  pool: Database["api"],
  tokens: readonly { address: string; keys: readonly string[] }[],
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockUntilCommit(client, "tokenNames");
    for (const { address, keys } of tokens) {
      await client.query(
        `insert into app.token_name_keys as known (key, token) select key, $1 from unnest($2::text[]) as k (key)
         on conflict (key) do update set token = excluded.token
         where not exists (select from chain.tokens t where t.address = known.token)`,
        [address, keys],
      );
      await client.query(
        `insert into app.token_names (token, resembles)
         select $1, (
           select t.address from app.token_name_keys k join chain.tokens t on t.address = k.token
           where k.key = any ($2::text[]) and k.token <> $1 order by t.id limit 1)
         on conflict (token) do nothing`,
        [address, keys],
      );
    }
  });
}
