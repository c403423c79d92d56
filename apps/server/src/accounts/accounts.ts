import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { insertApiKey, type NewApiKey } from "./apiKeys.ts";

export type AccountRow = {
  id: string;
  name: string;
  created_at: Date;
  /** The plan that is active now. */
  plan: string | null;
  credits: number;
  /** Usable keys. */
  keys: number;
};

/** Creates an account with its first key, for the operator, in one transaction. */
export async function createAccount(
  pool: pg.Pool,
  row: { accountId: string; name: string; keyId: string; keyName: string; hash: Uint8Array; prefix: string } & Pick<
    NewApiKey,
    "scopes"
  >,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query("insert into app.accounts (id, name) values ($1, $2)", [row.accountId, row.name]);
    await insertApiKey(client, { ...row, name: row.keyName, createdBy: "operator" });
  });
}

/** Finds name and creation time of an account; null if it does not exist. */
export async function findAccount(
  db: Queryable,
  id: string,
): Promise<Pick<AccountRow, "id" | "name" | "created_at"> | null> {
  const { rows } = await db.query<AccountRow>(
    "select id, name, created_at from app.accounts where id = $1 and deleted_at is null",
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Locks an account until the end of the transaction. Transactions that end or create credentials take this lock first,
 * so that none creates a credential from another one that is being ended.
 */
export async function lockAccount(client: Queryable, id: string): Promise<void> {
  await client.query("select from app.accounts where id = $1 for no key update", [id]);
}

export async function renameAccount(db: Queryable, id: string, name: string): Promise<void> {
  await db.query("update app.accounts set name = $2 where id = $1 and deleted_at is null", [id, name]);
}

/** Lists a page of all accounts, newest first; `before` is the last id of the previous page. */
export async function listAccounts(
  db: Queryable,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<AccountRow[]> {
  const { rows } = await db.query<AccountRow>(
    `select a.id, a.name, a.created_at,
       (select plan from app.plans p where p.account_id = a.id and active_from <= now()
          and (active_until is null or active_until > now()) order by active_from desc limit 1) as plan,
       coalesce(b.balance, 0)::bigint as credits,
       (select count(*) from app.api_keys k where k.account_id = a.id and revoked_at is null
          and (expires_at is null or expires_at > now()))::int as keys
     from app.accounts a left join app.credit_balances b on b.account_id = a.id
     where deleted_at is null and ($2::uuid is null or a.id < $2)
     order by a.id desc limit $1`,
    [limit, before ?? null],
  );
  return rows;
}
