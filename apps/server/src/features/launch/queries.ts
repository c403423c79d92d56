import type { Queryable } from "../../db/database.ts";

/** The tokens of this draft that the index has: it was launched before. */
export async function findLaunchedTokens(db: Queryable, intentId: string): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>(
    `select t.address from app.launches_prepared p join chain.tokens t on t.address = p.token
     where p.intent_id = $1 order by t.block_number`,
    [intentId],
  );
  return rows.map(({ address }) => address);
}

/**
 * Remembers which draft a token that was handed out comes from, and so the labels of its recipients. The first account
 * to prepare an address keeps it: nobody can put other labels on a launch by preparing it again.
 */
export async function insertPreparedLaunch(
  db: Queryable,
  row: { token: string; intentId: string; accountId: string; wallet: string; splitter: string },
): Promise<void> {
  await db.query(
    `insert into app.launches_prepared as known (token, intent_id, account_id, wallet, splitter)
     values ($1, $2, $3, $4, $5)
     on conflict (token) do update set intent_id = excluded.intent_id
     where known.account_id = excluded.account_id and known.intent_id <> excluded.intent_id`,
    [row.token.toLowerCase(), row.intentId, row.accountId, row.wallet.toLowerCase(), row.splitter.toLowerCase()],
  );
}
