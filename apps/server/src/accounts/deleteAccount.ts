import type pg from "pg";
import { withTransaction } from "../db/withTransaction.ts";
import { selectSecurityMails } from "./accountEvents.ts";
import { deleteQueued } from "./deleteQueued.ts";

/**
 * The account that owns the top-ups and payments of deleted accounts, so that no ledger entry of a deleted account leads
 * to a wallet.
 */
const deletedTopUpsAccount = "00000000-0000-0000-0000-000000000000";

/**
 * The statements of a deletion, in this order. $1: the account. Kept: the account's row without its name, its bookings
 * and balance, and the relayer's records: its transactions are public on the chain, and its nonces and budgets depend
 * on them. The mails of an address stay as counts of two days. A job erases relayer_transactions.client_address after a
 * day, because the daily budget of a client address must outlive its accounts.
 */
const statements = [
  // Also deletes the alerts. First, because it waits for a job that is queueing a mail of an alert.
  "delete from app.alert_addresses where account_id = $1",
  `update app.mail set account_id = null, address_id = null, alert_id = null, address = null, content = '{}',
     state = case when state = 'queued' then 'cancelled' else state end where account_id = $1`,
  // Queues the mail about the deletion. Its row has no account, and has the address only until the mail is sent.
  `with event as (select 'deleted:' || $1::uuid as key, $1::uuid as account_id, 'account_deleted' as kind, now() as created_at)
   ${selectSecurityMails("event")}`,
  "update app.mail set account_id = null, dedupe_key = 'deleted:' || id where account_id = $1",
  // Also deletes the launches that drafts were prepared for, and so the labels on token pages.
  "delete from app.intents where account_id = $1",
  // Also deletes the proofs of their websites.
  "delete from app.listings where account_id = $1",
  "delete from app.launches_prepared where account_id = $1",
  // The pictures stay, because listings and launches of other accounts can show them.
  "delete from app.account_images where account_id = $1",
  // Their messages are deleted afterwards. The rows of sent messages have no data of the account, and expire in two days.
  "delete from app.webhooks where account_id = $1",
  "delete from app.forecast_runs where account_id = $1",
  "delete from app.api_keys where account_id = $1",
  "delete from app.plans where account_id = $1",
  "delete from app.account_events where account_id = $1",
  // Sign-ins and links in progress: the library stores the account's id within its own values.
  "delete from app.verifications where strpos(value, $1::uuid::text) > 0",
  // Also deletes sessions, wallets and identities and, by a trigger, the handles of the identities.
  "delete from app.users where id = $1",
  "delete from app.gas_quotes where account_id = $1 and consumed_at is null",
  `update app.gas_quotes set account_id = '${deletedTopUpsAccount}' where account_id = $1`,
  `update app.payments set account_id = '${deletedTopUpsAccount}' where account_id = $1`,
  `update app.relayer_transactions set account_id = '${deletedTopUpsAccount}' where account_id = $1`,
  "update app.accounts set name = 'deleted', deleted_at = now() where id = $1",
];

/**
 * Deletes an account permanently. Its credentials are refused within a second; requests in progress store nothing more.
 *
 * @returns False when the account does not exist.
 */
export async function deleteAccount(pool: pg.Pool, accountId: string): Promise<boolean> {
  const { rows: webhooks } = await pool.query<{ id: string }>("select id from app.webhooks where account_id = $1", [
    accountId,
  ]);
  const isDeleted = await withTransaction(pool, async (client) => {
    // Waits for inserts of requests in progress; later inserts wait for this lock: see the trigger app.require_account.
    const { rowCount } = await client.query(
      "select from app.accounts where id = $1 and deleted_at is null for update",
      [accountId],
    );
    if (rowCount !== 1) return false;
    await client.query(
      "insert into app.accounts (id, name, deleted_at) values ($1, 'deleted', now()) on conflict do nothing",
      [deletedTopUpsAccount],
    );
    for (const statement of statements) await client.query(statement, [accountId]);
    return true;
  });
  if (isDeleted) {
    await deleteQueued(
      pool,
      webhooks.map(({ id }) => id),
    );
  }
  return isDeleted;
}
