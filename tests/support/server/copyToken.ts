import type { Pool } from "pg";

/**
 * Inserts copies of an indexed token with names, addresses and volumes of their own: the fast way to a list of thousands.
 *
 * @param id - The id of the copied token in `chain.tokens`; the copies have the ids above it.
 */
export async function copyToken(indexer: Pick<Pool, "query">, id: number, count: number): Promise<void> {
  const copy = (table: string, key: string, changed: string) =>
    indexer.query(
      `insert into ${table} select (jsonb_populate_record(t, ${changed})).*
       from ${table} t, generate_series(1, $1) n where t.${key} = $2`,
      [count, id],
    );
  const address = (first: number) => `'0x' || lpad(to_hex(${first} + n), 40, '0')`;
  await copy(
    "chain.tokens",
    "id",
    `jsonb_build_object('id', ${id} + n, 'address', ${address(2_000_000)}, 'pool', ${address(3_000_000)},
      'name', 'Token ' || n, 'symbol', 'T' || n, 'search_text', 'token ' || n, 'log_index', 3 + n)`,
  );
  await copy(
    "chain.token_state",
    "token_id",
    `jsonb_build_object('token_id', ${id} + n, 'volume_24h_usd', 1000 * n, 'change_24h_pct', 0)`,
  );
}
