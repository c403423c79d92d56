import { accountExport, maxExportedEntries } from "@slipway/protocol/accountExport";
import { defaultKeyScopes } from "@slipway/protocol/accounts";
import type pg from "pg";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";

/** Rows of one query, which are in memory together. */
const defaultPageRows = 100;

type Key = "bigint" | "text" | "timestamptz" | "uuid";

/** A list of the export, newest first: its query without order, and the columns that order it, with their types. */
type List = { sql: string; order: readonly (readonly [column: string, type: Key])[]; pageRows?: number };

const byCreation = (table: string, id: string, idType: Key = "uuid") =>
  [[`${table}.created_at`, "timestamptz"] as const, [`${table}.${id}`, idType] as const] as const;

const scopes = `array['${defaultKeyScopes.join("', '")}']`;

/**
 * The lists by their field. $1: the account. Counts and ids are float8, because every pool reads float8 as a number.
 */
const lists = {
  wallets: {
    sql: `select w.address, w.chain_id::float8 as chain_id, w.is_payout, w.created_at as linked_at
      from app.wallets w where w.user_id = $1`,
    order: byCreation("w", "id"),
  },
  connections: {
    sql: `select i.provider_id as provider, i.account_id as id, h.handle, i.created_at as linked_at
      from app.identities i
      left join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
      where i.user_id = $1 and i.provider_id in ('code_host', 'social')`,
    order: byCreation("i", "id"),
  },
  sessions: {
    sql: `select s.id, s.created_at, s.expires_at, nullif(s.ip_address, '') as address,
        nullif(s.user_agent, '') as user_agent
      from app.sessions s where s.user_id = $1`,
    order: byCreation("s", "id"),
  },
  keys: {
    sql: `select k.id, k.name, k.prefix, case when cardinality(k.scopes) = 0 then ${scopes} else k.scopes end as scopes,
        k.created_at, k.last_used_at, k.expires_at, k.revoked_at
      from app.api_keys k where k.account_id = $1`,
    order: byCreation("k", "id"),
  },
  plans: {
    sql: "select p.plan, p.active_from, p.active_until from app.plans p where p.account_id = $1",
    order: [
      ["p.active_from", "timestamptz"],
      ["p.plan", "text"],
    ],
  },
  credits: {
    sql: `select c.id::float8 as id, c.kind, c.amount::float8 as amount, c.reason, c.request_id,
        c.balance_after::float8 as balance_after, c.created_at
      from app.credit_ledger c where c.account_id = $1`,
    order: [["c.id", "bigint"]],
  },
  forecasts: {
    // The answer to a request with several series has up to a megabyte: as a subquery, PostgreSQL converts those of the page only.
    sql: `select f.request_id, f.state,
        (select convert_from(a.answer, 'UTF8')::json from app.forecast_runs a where a.request_id = f.request_id) as answer,
        f.created_at
      from app.forecast_runs f where f.account_id = $1`,
    order: byCreation("f", "request_id", "text"),
    pageRows: 4,
  },
  drafts: {
    sql: "select d.id, d.idempotency_key, d.intent, d.options, d.created_at from app.intents d where d.account_id = $1",
    order: byCreation("d", "id"),
  },
  businesses: {
    sql: `select b.id, b.idempotency_key, b.listing, b.blocked_at, b.created_at, b.updated_at
      from app.listings b where b.account_id = $1`,
    order: byCreation("b", "id", "text"),
  },
  prepared_launches: {
    sql: `select l.token, l.intent_id as draft_id, l.wallet, l.splitter, l.created_at
      from app.launches_prepared l where l.account_id = $1`,
    order: byCreation("l", "token", "text"),
  },
  prepared_splitters: {
    sql: `select s.intent_id as draft_id, s.wallet, s.method, s.account_nonce::float8 as account_nonce, s.created_at
      from app.splitters_prepared s join app.intents d on d.id = s.intent_id where d.account_id = $1`,
    order: [
      ["s.created_at", "timestamptz"],
      ["s.intent_id", "uuid"],
      ["s.wallet", "text"],
      ["s.method", "text"],
      ["s.account_nonce", "bigint"],
    ],
  },
  images: {
    sql: `select encode(i.sha256, 'hex') as sha256, i.bytes::float8 as bytes, i.created_at
      from app.account_images i where i.account_id = $1`,
    order: [
      ["i.created_at", "timestamptz"],
      ["encode(i.sha256, 'hex')", "text"],
    ],
  },
  gas_quotes: {
    sql: `select q.id, q.chain_id::float8 as chain_id, q.wallet, q.token, q.token_amount::text as token_amount,
        q.native_amount::text as native_amount, q.created_at, q.consumed_at
      from app.gas_quotes q where q.account_id = $1`,
    order: byCreation("q", "id", "text"),
  },
  top_ups: {
    sql: `select t.id, t.quote_id, t.chain_id::float8 as chain_id, t.wallet,
        nullif(t.client_address, '') as client_address, t.native_amount::text as native_amount, t.state,
        t.mined_hash as hash, t.created_at, t.finished_at
      from app.relayer_transactions t where t.account_id = $1 and t.payment_id is null`,
    order: byCreation("t", "id"),
  },
  payments: {
    sql: `select p.id, p.chain_id::float8 as chain_id, p.asset, p.payer, p.payee, p.amount::text as amount, p.nonce,
        p.credits::float8 as credits, p.plan, p.plan_days, p.state, p.reason, p.tx_hash as hash,
        (select nullif(t.client_address, '') from app.relayer_transactions t where t.payment_id = p.id)
          as client_address, p.created_at, p.finished_at
      from app.payments p where p.account_id = $1`,
    order: byCreation("p", "id"),
  },
  alerts: {
    sql: `select l.id, a.address as email, l.pair, l.rule, l.idempotency_key, l.state, a.confirmed_at,
        l.fired_at as last_fired_at, l.created_at, l.subject
      from (
        select id, account_id, address_id, pair, json_build_object('metric', metric, 'op', op, 'value', value) as rule,
          null::jsonb as subject, idempotency_key, state, fired_at, created_at
        from app.alerts where account_id = $1
        union all
        select s.id, s.account_id, s.address_id, null, null, w.subject, s.idempotency_key, 'armed', s.fired_at, s.created_at
        from app.subject_alerts s join app.webhooks w on w.alert_id = s.id where s.account_id = $1
      ) l join app.alert_addresses a on a.id = l.address_id where l.account_id = $1`,
    order: byCreation("l", "id"),
  },
  webhooks: {
    sql: `select w.id, w.url, w.subject, w.state as status, w.disabled_reason, w.failing_since, w.error as last_error,
        case when w.previous_until > now() then w.previous_until end as previous_secret_until, w.idempotency_key,
        w.created_at
      from app.webhooks w where w.account_id = $1 and w.alert_id is null`,
    order: byCreation("w", "id"),
  },
  webhook_deliveries: {
    sql: `select 'msg_' || d.message_id as id, d.webhook_id, d.type, d.state as status, d.attempts, d.response_status,
        d.error, d.created_at, d.finished_at
      from app.webhooks w join app.webhook_deliveries d on d.webhook_id = w.id
      where w.account_id = $1 and w.alert_id is null`,
    order: byCreation("d", "message_id"),
  },
  mail_addresses: {
    sql: `select p.provider_id as provider, p.address, p.seen_at
      from app.identities i
      join app.provider_addresses p on p.provider_id = i.provider_id and p.account_id = i.account_id
      where i.user_id = $1`,
    order: [
      ["p.provider_id", "text"],
      ["p.account_id", "text"],
    ],
  },
  mails: {
    sql: `select m.id, m.kind, m.address, m.state, m.created_at from app.mail m where m.account_id = $1`,
    order: byCreation("m", "id"),
  },
  events: {
    sql: `select e.id::float8 as id, e.kind, e.details, e.created_at
      from app.account_events e where e.account_id = $1`,
    order: [["e.id", "bigint"]],
  },
} as const satisfies Record<string, List>;

type ListName = keyof typeof lists;

const { shape } = accountExport;
/** The schemas of the lists' entries. */
const entries = {
  wallets: shape.wallets,
  connections: shape.connections,
  sessions: shape.sessions,
  keys: shape.keys,
  ...{
    plans: shape.plans,
    forecasts: shape.forecasts,
    drafts: shape.drafts,
    businesses: shape.businesses,
    prepared_launches: shape.prepared_launches,
    prepared_splitters: shape.prepared_splitters,
    images: shape.images,
  },
  gas_quotes: shape.gas_quotes,
  top_ups: shape.top_ups,
  payments: shape.payments,
  alerts: shape.alerts,
  webhooks: shape.webhooks,
  webhook_deliveries: shape.webhook_deliveries,
  mail_addresses: shape.mail_addresses,
  mails: shape.mails,
  credits: shape.credits.shape.items,
  events: shape.events.shape.items,
} as const;

type Row = Record<string, unknown>;

const toWire = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );

/**
 * Exports all stored data of an account, and records the export as an event. Reads the lists page by page as the caller
 * consumes the text, so that no connection is occupied in between and an export of any length needs little memory. Each
 * list has the entries of the time when it is read, at most `maxExportedEntries`.
 *
 * @returns The pieces of one JSON text (`accountExport`); null when the account does not exist.
 */
export async function exportAccount(pool: pg.Pool, accountId: string): Promise<AsyncGenerator<string> | null> {
  const opening = await withTransaction(pool, async (client) => {
    const { rows } = await client.query<Row>(
      `select a.id, a.name, a.created_at, now() as exported_at, coalesce(b.balance, 0)::float8 as balance
       from app.accounts a left join app.credit_balances b on b.account_id = a.id
       where a.id = $1 and a.deleted_at is null`,
      [accountId],
    );
    if (rows[0] !== undefined) await recordAccountEvent(client, accountId, "account_exported");
    return rows[0] && toWire(rows[0]);
  });
  if (opening === undefined) return null;
  return writeExport(pool, accountId, opening);
}

async function* writeExport(pool: pg.Pool, accountId: string, opening: Row): AsyncGenerator<string> {
  const { exported_at, balance, ...account } = opening;
  yield `{"exported_at":${JSON.stringify(exported_at)},"account":${JSON.stringify(shape.account.parse(account))}`;
  for (const name of Object.keys(lists) as ListName[]) {
    if (name === "credits" || name === "events") {
      yield `,"${name}":{${name === "credits" ? `"balance":${Number(balance)},` : ""}"items":[`;
      const { count, lastId } = yield* writeList(pool, accountId, name);
      yield `],"next_before":${count === maxExportedEntries ? lastId : null}}`;
    } else {
      yield `,"${name}":[`;
      yield* writeList(pool, accountId, name);
      yield "]";
    }
  }
  yield "}";
}

/** Writes the entries of a list. @returns The number of entries, and the id of the last. */
async function* writeList(
  pool: pg.Pool,
  accountId: string,
  name: ListName,
): AsyncGenerator<string, { count: number; lastId: unknown }> {
  const { element } = entries[name];
  const list: List = lists[name];
  let after: string[] | null = null;
  let count = 0;
  let lastId: unknown = null;
  while (count < maxExportedEntries) {
    const rows: (Row & { position: string[] })[] = await readPage(pool, accountId, list, after);
    const texts = rows.map(({ position: _, ...row }) => JSON.stringify(element.parse(toWire(row))));
    if (texts.length > 0) yield (count === 0 ? "" : ",") + texts.join(",");
    count += rows.length;
    if (rows.length < (list.pageRows ?? defaultPageRows)) break;
    after = rows.at(-1)!.position;
    lastId = rows.at(-1)!.id;
  }
  return { count, lastId };
}

/** Reads the entries after a position. A position is text, because a date would lose its microseconds. */
async function readPage(
  pool: pg.Pool,
  accountId: string,
  { sql, order, pageRows = defaultPageRows }: List,
  after: string[] | null,
): Promise<(Row & { position: string[] })[]> {
  const columns = order.map(([column]) => column);
  const position = columns.map((column) => `${column}::text`).join(", ");
  const values = order.map(([, type], i) => `($2::text[])[${i + 1}]::${type}`).join(", ");
  const { rows } = await pool.query<Row & { position: string[] }>(
    `${sql.replace(/^select /, `select array[${position}] as position, `)}
     and ($2::text[] is null or (${columns.join(", ")}) < (${values}))
     order by ${columns.map((column) => `${column} desc`).join(", ")} limit ${pageRows}`,
    [accountId, after],
  );
  return rows;
}
