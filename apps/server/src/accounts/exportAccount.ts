import { defaultKeyScopes } from "@slipway/protocol/accounts";
import { type AccountExport, maxExportedEntries } from "@slipway/protocol/accountExport";
import type pg from "pg";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";

const limit = maxExportedEntries;

/** The lists of an export, by field. $1: the account. Counts and ids as float8: every pool reads these as numbers. */
const lists = {
  wallets: `select address, chain_id::float8 as chain_id, created_at as linked_at from app.wallets
    where user_id = $1 order by created_at, id`,
  connections: `select i.provider_id as provider, i.account_id as id, h.handle, i.created_at as linked_at
    from app.identities i
    left join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
    where i.user_id = $1 and i.provider_id in ('code_host', 'social') order by i.created_at, i.id`,
  sessions: `select id, created_at, expires_at, nullif(ip_address, '') as address, nullif(user_agent, '') as user_agent
    from app.sessions where user_id = $1 order by created_at desc, id desc`,
  keys: `select id, name, prefix, case when cardinality(scopes) = 0 then $2::text[] else scopes end as scopes, created_at,
      last_used_at, expires_at, revoked_at
    from app.api_keys where account_id = $1 order by created_at desc, id desc`,
  plans: `select plan, active_from, active_until from app.plans where account_id = $1 order by active_from desc`,
  credits: `select id::float8 as id, kind, amount::float8 as amount, reason, request_id,
      balance_after::float8 as balance_after, created_at
    from app.credit_ledger where account_id = $1 order by id desc limit ${limit}`,
  drafts: `select id, idempotency_key, intent, created_at from app.intents
    where account_id = $1 order by created_at desc, id desc`,
  prepared_launches: `select token, intent_id as draft_id, wallet, splitter, created_at from app.launches_prepared
    where account_id = $1 order by created_at desc, token limit ${limit}`,
  gas_quotes: `select id, chain_id::float8 as chain_id, wallet, token, token_amount::text as token_amount,
      native_amount::text as native_amount, created_at, consumed_at
    from app.gas_quotes where account_id = $1 order by created_at desc, id limit ${limit}`,
  top_ups: `select id, quote_id, chain_id::float8 as chain_id, wallet, nullif(client_address, '') as client_address,
      native_amount::text as native_amount, state, mined_hash as hash, created_at, finished_at
    from app.relayer_transactions where account_id = $1 order by created_at desc, id limit ${limit}`,
  events: `select id::float8 as id, kind, details, created_at from app.account_events
    where account_id = $1 order by id desc limit ${limit}`,
} as const;

type Row = Record<string, unknown>;

const toWire = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );

/** The last id of a list that may go on; null at its end. */
const getNextBefore = (rows: Row[]) => (rows.length === limit ? (rows.at(-1)?.id ?? null) : null);

/**
 * Reads everything that is stored of an account, as of one moment, and records the export as an event.
 *
 * @returns Null when there is no such account.
 */
export async function exportAccount(pool: pg.Pool, accountId: string): Promise<AccountExport | null> {
  return await withTransaction(pool, async (client) => {
    await client.query("set transaction isolation level repeatable read");
    const { rows: accounts } = await client.query<Row>(
      `select a.id, a.name, a.created_at, now() as exported_at, coalesce(b.balance, 0)::float8 as balance
       from app.accounts a left join app.credit_balances b on b.account_id = a.id
       where a.id = $1 and a.deleted_at is null`,
      [accountId],
    );
    if (accounts[0] === undefined) return null;
    const { exported_at, balance, ...account } = toWire(accounts[0]);
    const read = {} as Record<keyof typeof lists, Row[]>;
    for (const [name, sql] of Object.entries(lists) as [keyof typeof lists, string][]) {
      const values = name === "keys" ? [accountId, defaultKeyScopes] : [accountId];
      read[name] = (await client.query<Row>(sql, values)).rows.map(toWire);
    }
    await recordAccountEvent(client, accountId, "account_exported");
    const { credits, events, ...rest } = read;
    const exported = {
      exported_at,
      account,
      ...rest,
      credits: { balance, items: credits, next_before: getNextBefore(credits) },
      events: { items: events, next_before: getNextBefore(events) },
    };
    // Columns and names of the statements are those of the schema; the response is checked against it.
    return exported as unknown as AccountExport;
  });
}
