import type pg from "pg";
import { withTransaction } from "./withTransaction.ts";

type NewKey = { accountId: string; keyId: string; name: string; hash: Uint8Array; prefix: string };

/** Creates an account with its first key, both or neither. */
export async function createAccount(
  pool: pg.Pool,
  row: { accountId: string; name: string; keyId: string; keyName: string; hash: Uint8Array; prefix: string },
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query("insert into app.accounts (id, name) values ($1, $2)", [row.accountId, row.name]);
    await client.query("insert into app.api_keys (id, account_id, hash, name, prefix) values ($1, $2, $3, $4, $5)", [
      row.keyId,
      row.accountId,
      row.hash,
      row.keyName,
      row.prefix,
    ]);
  });
}

/** @throws when the account does not exist. */
export async function addKey(pool: pg.Pool, key: NewKey): Promise<void> {
  const { rowCount } = await pool.query(
    `insert into app.api_keys (id, account_id, hash, name, prefix)
     select $1, id, $3, $4, $5 from app.accounts where id = $2`,
    [key.keyId, key.accountId, key.hash, key.name, key.prefix],
  );
  if (rowCount === 0) throw new Error(`There is no account ${key.accountId}.`);
}

/** Ends a key; false when there is none of this id that was still good. */
export async function revokeKey(pool: pg.Pool, keyId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    "update app.api_keys set revoked_at = now() where id = $1 and revoked_at is null",
    [keyId],
  );
  return rowCount === 1;
}

/** Starts a plan now, for `days` or without end. */
export async function startPlan(pool: pg.Pool, accountId: string, plan: string, days?: number): Promise<void> {
  await pool.query(
    `insert into app.plans (account_id, plan, active_until)
     values ($1, $2, case when $3::int is null then null else now() + make_interval(days => $3::int) end)`,
    [accountId, plan, days ?? null],
  );
}

/**
 * Books credits, negative to take them; the balance never goes below zero.
 *
 * @returns the balance after it.
 */
export async function addCredits(
  pool: pg.Pool,
  accountId: string,
  amount: number,
  reason: string,
  requestId: string,
): Promise<number> {
  return withTransaction(pool, async (client) => {
    // The account's row is the lock that two bookings wait on.
    const account = await client.query("select id from app.accounts where id = $1 for update", [accountId]);
    if (account.rowCount === 0) throw new Error(`There is no account ${accountId}.`);
    await client.query(
      "insert into app.credit_ledger (account_id, amount, reason, request_id) values ($1, $2, $3, $4)",
      [accountId, amount, reason, requestId],
    );
    const { rows } = await client.query<{ balance: string }>(
      "select sum(amount)::text as balance from app.credit_ledger where account_id = $1",
      [accountId],
    );
    const balance = Number(rows[0]?.balance ?? 0);
    if (balance < 0) throw new Error(`That would leave ${balance} credits; the balance cannot be negative.`);
    return balance;
  });
}

/** Accounts, newest first, with the plan that is active now, credits and the number of usable keys. */
export async function listAccounts(pool: pg.Pool): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query(
    `select a.id, a.name, a.created_at,
       (select plan from app.plans p where p.account_id = a.id and active_from <= now()
          and (active_until is null or active_until > now()) order by active_from desc limit 1) as plan,
       coalesce((select sum(amount) from app.credit_ledger c where c.account_id = a.id), 0)::bigint as credits,
       (select count(*) from app.api_keys k where k.account_id = a.id and revoked_at is null)::int as keys
     from app.accounts a order by created_at desc`,
  );
  return rows;
}
