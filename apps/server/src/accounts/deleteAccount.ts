import type pg from "pg";
import { withTransaction } from "../db/withTransaction.ts";
import { selectSecurityMails } from "./accountEvents.ts";

/** The account that top-ups of deleted accounts belong to, so that no ledger of one leads to a wallet. */
const deletedTopUpsAccount = "00000000-0000-0000-0000-000000000000";

/**
 * What deletion executes, in this order. $1: the account. Kept are the row of the account without its name, its bookings
 * and balance, and what the relayer did: its transactions are public on the chain, and its nonces and budgets depend on
 * them. What an address got by mail stays as counts of two days. relayer_transactions.client_address is left to the job that erases it after a day: the daily budget of a network
 * address must outlive its accounts.
 */
const statements = [
  // With the rules. First: it waits for a job that is queueing a mail of one.
  "delete from app.alert_addresses where account_id = $1",
  `update app.mail set account_id = null, address_id = null, alert_id = null, address = null, content = '{}',
     state = case when state = 'queued' then 'cancelled' else state end where account_id = $1`,
  // The last mail: it keeps the address until it is sent, and names no account.
  `with event as (select 'deleted:' || $1::uuid as key, $1::uuid as account_id, 'account_deleted' as kind, now() as created_at)
   ${selectSecurityMails("event")}`,
  "update app.mail set account_id = null, dedupe_key = 'deleted:' || id where account_id = $1",
  // Drafts take with them which launches they were prepared for, and so the labels on token pages.
  "delete from app.intents where account_id = $1",
  // With the proofs of their websites.
  "delete from app.listings where account_id = $1",
  "delete from app.launches_prepared where account_id = $1",
  // The pictures stay: listings and launches of others can show them.
  "delete from app.account_images where account_id = $1",
  "delete from app.forecast_runs where account_id = $1",
  "delete from app.api_keys where account_id = $1",
  "delete from app.plans where account_id = $1",
  "delete from app.account_events where account_id = $1",
  // Sign-ins and links under way: the library stores the account's id within its own values.
  "delete from app.verifications where strpos(value, $1::uuid::text) > 0",
  // With its sessions, wallets and identities, and by a trigger of these with the handles.
  "delete from app.users where id = $1",
  "delete from app.gas_quotes where account_id = $1 and consumed_at is null",
  `update app.gas_quotes set account_id = '${deletedTopUpsAccount}' where account_id = $1`,
  `update app.relayer_transactions set account_id = '${deletedTopUpsAccount}' where account_id = $1`,
  "update app.accounts set name = 'deleted', deleted_at = now() where id = $1",
];

/**
 * Deletes an account for good. Its credentials are refused within a second; requests under way store nothing any more.
 *
 * @returns False when there is no such account.
 */
export async function deleteAccount(pool: pg.Pool, accountId: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    // Waits for inserts of requests under way, and later ones wait for this: see the trigger app.require_account.
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
}
