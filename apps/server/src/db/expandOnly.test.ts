import { readdirSync, readFileSync } from "node:fs";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { narrowings, readSchema } from "../../../../tests/support/server/readSchema.ts";
import { mutableTables } from "../indexer/store/undoLog.ts";

/*
 * During a rollout, servers of the previous version run on the new schema: the first new server applies its migrations.
 * These tests check on a real PostgreSQL that each migration keeps everything that an earlier version can name
 * (relations, columns with their types, unique keys of `on conflict`, views, functions), and that no new constraint
 * rejects a row that an earlier version writes.
 *
 * They do not check that a migration keeps the meaning of rows (a migration that rewrites values passes), that its
 * locks are short, or that earlier programs work. tests/resilience/indexer/newerSchema.test.ts runs this version on a
 * newer schema.
 */

const directory = new URL("./migrations/", import.meta.url);
const migrations = readdirSync(directory)
  .filter((name) => name.endsWith(".sql"))
  .sort();

/** Tables whose rows the indexer restores from before images (chain.undo) that an earlier version may have written. */
const restored = new Set(Object.keys(mutableTables).map((table) => `chain.${table}`));

/** Accepted changes other than additions. Each comment explains why the previous version tolerates the change. */
const accepted: Record<string, string[]> = {
  "0004_accounts.sql": [
    // Earlier versions create keys without scopes; the constraint accepts an empty list.
    "constraint app.api_keys api_keys_scopes is new",
    // Earlier versions only insert into the ledger, with a new request id and without `on conflict`. Such a row has the
    // default kind 'grant', and the triggers update the balance.
    "constraint app.credit_ledger credit_ledger_account_id_reason_request_id_key is gone",
    "constraint app.credit_ledger credit_ledger_kind_check is new",
    "constraint app.credit_ledger credit_ledger_once is new",
    "trigger app.credit_ledger credit_ledger_append_only is new",
    "trigger app.credit_ledger credit_ledger_book is new",
    "trigger app.credit_ledger credit_ledger_foresee is new",
    "trigger app.credit_ledger credit_ledger_never_emptied is new",
  ],
  "0007_trader_minutes.sql": [
    // The triggers only count rows.
    "trigger chain.traders traders_deleted is new",
    "trigger chain.traders traders_inserted is new",
    "trigger chain.traders traders_truncated is new",
    "trigger chain.traders traders_updated is new",
  ],
  "0011_credential_notifications.sql": [
    // The triggers only notify, after the statement of an earlier version.
    "trigger app.api_keys api_keys_ended is new",
    "trigger app.plans plans_ended is new",
    "trigger app.sessions sessions_ended is new",
    "trigger app.sessions sessions_shortened is new",
  ],
  "0013_account_deletion.sql": [
    // Earlier versions delete no account. The triggers reject only rows of an account that a newer server deleted.
    "trigger app.account_events account_events_require_account is new",
    "trigger app.api_keys api_keys_require_account is new",
    "trigger app.gas_quotes gas_quotes_require_account is new",
    // No version reads a handle without its link.
    "trigger app.identities identities_forget_handle is new",
    "trigger app.intents intents_require_account is new",
    "trigger app.launches_prepared launches_prepared_require_account is new",
    "trigger app.plans plans_require_account is new",
    "trigger app.relayer_transactions relayer_transactions_require_account is new",
    "trigger app.users users_require_account is new",
  ],
  "0017_people.sql": [
    // The triggers only sum rows.
    "trigger chain.splitter_events splitter_events_deleted is new",
    "trigger chain.splitter_events splitter_events_inserted is new",
    "trigger chain.splitter_events splitter_events_truncated is new",
    // Earlier versions write no payout wallet.
    "unique index app.wallets wallets_payout is new",
  ],
  "0026_gallery.sql": [
    // The triggers only derive the gallery, after the statement of an earlier version.
    "trigger app.blocked_tokens blocked_tokens_changed is new",
    "trigger app.blocked_tokens blocked_tokens_lock_gallery is new",
    "trigger app.images images_block_changed is new",
    "trigger app.images images_lock_gallery is new",
    "trigger app.token_images token_images_inserted is new",
    "trigger app.token_images token_images_lock_gallery is new",
    "trigger app.token_images token_images_updated is new",
  ],
  "0029_risk.sql": [
    // No version deletes a market: markets that are no longer listed become untracked.
    "constraint app.markets kept for app.risk_demand risk_demand_market_id_fkey is new",
    "constraint app.markets kept for app.risk_forecasts risk_forecasts_market_id_fkey is new",
    "constraint app.markets kept for app.risk_snapshots risk_snapshots_market_id_fkey is new",
  ],
  "0030_signals.sql": [
    // Earlier versions delete no market.
    "constraint app.markets kept for app.signal_progress signal_progress_market_id_fkey is new",
    "constraint app.markets kept for app.signal_records signal_records_market_id_fkey is new",
    "constraint app.markets kept for app.signals signals_market_id_fkey is new",
  ],
  "0031_alerts.sql": [
    // The trigger deletes a row of a new table.
    "trigger app.identities identities_forget_address is new",
  ],
  "0032_catalogue.sql": [
    // The function also writes rows that are not shown, which earlier versions omit from the gallery.
    "function app.update_gallery(text[]) is another one",
    // The triggers only block pictures on the deny list; a picture from an earlier version has no hash.
    "trigger app.images images_denied is new",
    "trigger app.images images_denied_logged is new",
    "trigger app.images images_lock_denied is new",
  ],
  "0034_gallery_items.sql": [
    // The triggers only derive the items of the gallery, after the statement of an earlier version.
    "trigger app.gallery gallery_rows_inserted is new",
    "trigger app.gallery gallery_rows_updated is new",
    "trigger chain.tokens tokens_deleted is new",
    "trigger chain.tokens tokens_inserted is new",
    "trigger chain.tokens tokens_truncated is new",
  ],
  "0035_proven_listings.sql": [
    // The function derives `leads` from more columns; earlier versions read only `leads`.
    "function app.merge_listings(text[]) is another one",
    // The triggers only derive `leads`, after the statement of an earlier version.
    "trigger app.website_proofs website_proofs_ended is new",
    "trigger app.website_proofs website_proofs_found is new",
  ],
  "0039_trade_accounts.sql": [
    // The view has two more columns at its end.
    "relation chain.trade_rows is another one",
  ],
  "0040_unknown_liquidity.sql": [
    // Earlier versions write no null. They read null as no liquidity, which hides the price in USD until the first swap.
    "column chain.eth_usd.liquidity may be null now",
  ],
  "0056_pool_changes.sql": [
    // Earlier versions call it in the same way; it creates one more index.
    "function chain.order_trades(bigint,bigint,bigint) is another one",
  ],
  "0058_trade_indexes.sql": [
    // No version inserts trades with `on conflict`. The key is unique in the open partition, the only one with new rows.
    "constraint chain.trades trades_pkey is gone",
    "constraint chain.trades_1 trades_1_pkey is gone",
    // The functions create other indexes.
    "function chain.create_trades(bigint,bigint) is another one",
    "function chain.order_trades(bigint,bigint,bigint) is another one",
    "unique index chain.trades_1 trades_1_token_id_block_number_log_index_block_time_pool_pr_idx is new",
  ],
  "0059_balance_key.sql": [
    // `on conflict (token_id, account_id)` finds the key in any order of its columns.
    "constraint chain.balances balances_pkey is another one",
  ],
  "0062_payments.sql": [
    // Earlier versions write only rows with a quote and without a payment. They read `quote_id` only in the export of an
    // account that has paid, which needs a server of this version and its settings.
    "column app.relayer_transactions.quote_id may be null now",
    "constraint app.relayer_transactions relayer_transactions_payment_id_fkey is new",
    "constraint app.relayer_transactions relayer_transactions_payment_id_key is new",
    "constraint app.relayer_transactions relayer_transactions_purpose is new",
  ],
  "0064_webhook_risk.sql": [
    // The trigger only adds a row of the outbox, after the statement of an earlier version.
    "trigger app.risk_snapshots risk_snapshots_published is new",
  ],
  "0065_subject_alerts.sql": [
    // Earlier versions write null.
    "constraint app.webhooks webhooks_alert_id_fkey is new",
  ],
  "0076_keeper.sql": [
    // Earlier versions write every row with an account, and with either a quote or a payment. They read only the rows of
    // their own relayer, which has another key than the keeper.
    "column app.relayer_transactions.account_id may be null now",
    "constraint app.relayer_transactions relayer_transactions_keeper_claim_id_fkey is new",
    "constraint app.relayer_transactions relayer_transactions_keeper_claim_id_key is new",
    "constraint app.relayer_transactions relayer_transactions_max_fee_check is new",
    "constraint app.relayer_transactions relayer_transactions_purpose is another one",
    "trigger app.relayer_transactions relayer_transactions_require_account is another one",
  ],
  "0079_opening_blocks.sql": [
    // Both accept one more kind. Earlier versions never read the log, and print the kind of a report without a condition.
    "constraint app.moderation_events moderation_events_kind_check is another one",
    "constraint app.reports reports_kind_check is another one",
  ],
};

const folder = temporaryFolder();
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let client: pg.Client;
/** Incompatible changes by migration. */
const found: Record<string, string[]> = {};

beforeAll(async () => {
  postgres = await startPostgres({ dir: folder.path, durable: false });
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  let before = await readSchema(client);
  for (const name of migrations) {
    await client.query(readFileSync(new URL(name, directory), "utf8"));
    const after = await readSchema(client);
    const narrowed = narrowings(before, after, restored);
    if (narrowed.length > 0) found[name] = narrowed;
    before = after;
  }
});
afterAll(async () => {
  await client?.end();
  await postgres?.stop();
  folder.remove();
});

test("C3-04 each migration keeps everything that an older server names and writes", () => {
  expect(migrations.length).toBeGreaterThan(6);
  expect(found).toEqual(accepted);
});

describe("C3-04 the check detects a migration that", () => {
  test.each([
    ["drops a column", "alter table chain.tokens drop column website", "column chain.tokens.website is gone"],
    [
      "renames a column",
      "alter table chain.token_state rename trades to swaps",
      "column chain.token_state.trades is gone",
    ],
    [
      "changes a type",
      "alter table chain.topups alter log_index type bigint",
      "column chain.topups.log_index is another one",
    ],
    ["drops a table", "drop table app.rate_buckets", "relation app.rate_buckets is gone"],
    ["renames a table", "alter table app.plans rename to subscriptions", "relation app.plans is gone"],
    ["moves a table to another schema", "alter table app.wallets set schema public", "relation app.wallets is gone"],
    [
      "changes the query of a view",
      `create or replace view app.verified_labels as
         select 'social' as provider, lower(h.handle) as handle, '' as wallet from app.provider_handles h`,
      "relation app.verified_labels is another one",
    ],
    [
      "changes the body of a function",
      "create or replace function app.labels_of(intent jsonb) returns jsonb language sql as 'select null::jsonb'",
      "function app.labels_of(jsonb) is another one",
    ],
    [
      "requires a value that earlier versions do not write",
      "alter table app.intents add column origin text not null",
      "column app.intents.origin is new and must be named",
    ],
    [
      "refuses null",
      "alter table app.api_keys alter expires_at set not null",
      "column app.api_keys.expires_at refuses null now",
    ],
    [
      "permits null in a column that readers expect without null",
      "alter table app.api_keys alter prefix drop not null",
      "column app.api_keys.prefix may be null now",
    ],
    [
      "removes a default",
      "alter table app.accounts alter created_at drop default",
      "column app.accounts.created_at has lost its default",
    ],
    [
      "removes a key that `on conflict` names",
      "alter table app.intents drop constraint intents_account_id_idempotency_key_key",
      "constraint app.intents intents_account_id_idempotency_key_key is gone",
    ],
    ["removes a unique index", "drop index app.wallets_lower", "unique index app.wallets wallets_lower is gone"],
    [
      "makes a value unique",
      "create unique index intents_hash on app.intents (body_hash)",
      "unique index app.intents intents_hash is new",
    ],
    [
      "permits fewer values",
      "alter table app.intents add constraint later check (created_at > now())",
      "constraint app.intents later is new",
    ],
    [
      "permits values that readers do not know",
      `alter table chain.status drop constraint status_state_check,
         add constraint status_state_check check (state in ('live', 'asleep'))`,
      "constraint chain.status status_state_check is another one",
    ],
    [
      "prevents the deletion of rows of an older table",
      "create table app.later (session uuid references app.sessions)",
      "constraint app.sessions kept for app.later later_session_fkey is new",
    ],
    [
      "adds a trigger to an older table",
      `create trigger later before insert on app.intents for each row execute function app.refuse_change()`,
      "trigger app.intents later is new",
    ],
    [
      "adds a column, even with a default, that before images of earlier versions lack",
      "alter table chain.balances add column frozen boolean not null default false",
      "column chain.balances.frozen is new and missing in images",
    ],
  ])("%s", async (_, sql, notice) => {
    const before = await readSchema(client);
    await client.query("begin");
    try {
      await client.query(sql);
      expect(narrowings(before, await readSchema(client), restored)).toContain(notice);
    } finally {
      await client.query("rollback");
    }
  });

  test("C3-04 the check accepts a migration that only adds", async () => {
    const before = await readSchema(client);
    await client.query("begin");
    try {
      await client.query(`
        create table app.later (id uuid primary key, account_id uuid references app.accounts on delete cascade);
        create index intents_later on app.intents (created_at);
        alter table chain.tokens add column later text, add column later_count integer not null default 0;
        alter table chain.balances add column later text;`);
      expect(narrowings(before, await readSchema(client), restored)).toEqual([]);
    } finally {
      await client.query("rollback");
    }
  });
});
