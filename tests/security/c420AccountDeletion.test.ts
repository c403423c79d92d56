import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { bookCredits } from "@slipway/server/accounts/credits";
import { deleteAccount } from "@slipway/server/accounts/deleteAccount";
import { linkWallet, recordHandle } from "@slipway/server/accounts/identities";
import { startPlan } from "@slipway/server/accounts/plans";
import { eraseClientAddresses } from "@slipway/server/relayer/relayerTransactions";
import type { PrivateKeyAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../support/server/readDatabase.ts";
import { signIn, signInSettings, siteUrl } from "../support/server/signIn.ts";
import { testChainId } from "../support/server/testManifest.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { ...signInSettings, WRITE_LIMIT_PER_SECOND: "100000" });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Person = { accountId: string; wallet: PrivateKeyAccount; headers: Record<string, string> };

const newWallet = () => privateKeyToAccount(generatePrivateKey());
async function openAccount(wallet = newWallet()): Promise<Person> {
  const { accountId, cookie } = await signIn(read.app, wallet, { "user-agent": "Adabrowser/7" });
  return { accountId, wallet, headers: { cookie, origin: siteUrl } };
}
async function ask(headers: Record<string, string>, method: Method, url: string, payload?: object) {
  const answer = await read.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}
const newIntent = () => ({
  name: "Adaboat",
  symbol: "BOAT",
  image_uri: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
  chain_id: testChainId,
  recipients: [{ provider: "social", handle: "adahandle", wallet: newWallet().address, share_bps: 10_000 }],
});
const createKey = async ({ headers }: Person, body: object = {}) =>
  (await ask(headers, "POST", "/api/account/keys", { name: "Adakey", ...body })).body.key as string;

/** Writes data of an account into every table that can refer to it. */
async function fillAccount(person: Person): Promise<{ key: string; token: string }> {
  const db = database.db.api;
  const { accountId, headers } = person;
  const key = await createKey(person);
  const keyed = { authorization: `Bearer ${key}`, "idempotency-key": `Adaretry-${randomUUID()}` };
  const draft = await ask(keyed, "POST", "/api/v1/launchpad/intents", newIntent());
  expect(draft.status).toBe(201);
  const listed = await ask({ ...keyed, "idempotency-key": randomUUID() }, "POST", "/api/v1/launchpad/businesses", {
    name: "Adashop",
    description: "Of Ada.",
    category: "retail",
  });
  expect(listed.status).toBe(201);
  const token = newWallet().address.toLowerCase();
  await db.query(
    "insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter) values ($1, $2, $3, $4, $1)",
    [token, draft.body.id, accountId, person.wallet.address.toLowerCase()],
  );
  await database.db.api.query("insert into app.splitters_prepared values ($1, $2, 'creation', 3)", [
    draft.body.id,
    person.wallet.address,
  ]);
  await db.query("insert into app.account_images (account_id, sha256, bytes) values ($1, sha256($2), 4096)", [
    accountId,
    Buffer.from("Adapicture"),
  ]);
  await ask(keyed, "PUT", `/api/v1/launchpad/intents/${draft.body.id}/options`, { partner: person.wallet.address });
  await startPlan(db, accountId, "subscriber", 30);
  await bookCredits(db, { accountId, kind: "grant", amount: 5, reason: "a gift", requestId: randomUUID() });
  await recordHandle(db, { provider: "code_host", id: `id-${accountId}`, handle: `adahandle-${accountId}` });
  await db.query("insert into app.identities (id, user_id, provider_id, account_id) values ($1, $2, 'code_host', $3)", [
    randomUUID(),
    accountId,
    `id-${accountId}`,
  ]);
  await db.query(
    "insert into app.verifications (id, identifier, value, expires_at) values ($1, $1, $2, now() + interval '1 hour')",
    [randomUUID(), JSON.stringify({ link: { userId: accountId } })],
  );
  for (const consumed of [false, true]) await addQuote(person, consumed);
  await db.query(
    `insert into app.forecast_runs (request_id, account_id, key_hash, body_hash, state, answer)
     values ($1, $2, 'a', 'b', 'done', convert_to('{"forecast":[64]}', 'UTF8'))`,
    [randomUUID(), accountId],
  );
  await db.query(
    `insert into app.payments (id, account_id, chain_id, asset, payer, payee, amount, valid_after, valid_before, nonce,
       credits, start_block) values ($1, $2, $3, '0x', $4, '0x', 1, 0, 1, $5, 100, 1)`,
    [randomUUID(), accountId, testChainId, person.wallet.address.toLowerCase(), toHash()],
  );
  const addressId = randomUUID();
  await db.query("insert into app.alert_addresses values ($1, $2, 'adamail@example.com', 'adamail@example.com')", [
    addressId,
    accountId,
  ]);
  await db.query(
    `insert into app.alerts (id, account_id, address_id, idempotency_key, body_hash, pair, metric, op, value)
     values ($1, $2, $3, 'Adaretry-alert', '', 'BTC_USDT', 'risk_score', 'above', '80')`,
    [randomUUID(), accountId, addressId],
  );
  const eventsId = randomUUID();
  await db.query(
    `insert into app.subject_alerts (id, account_id, address_id, idempotency_key, body_hash)
     values ($1, $2, $3, 'Adaretry-events', '')`,
    [eventsId, accountId, addressId],
  );
  await db.query(
    `insert into app.webhooks (id, account_id, alert_id, idempotency_key, body_hash, url, host, secret, subject, match_key)
     values (gen_random_uuid(), $2, $1, 'Adaretry-events', '', '', '', '', '{"kind":"launches"}', 'launches')`,
    [eventsId, accountId],
  );
  const webhook = { url: "https://adahooks.example/", subject: { kind: "launches" } };
  const hooked = await ask(
    { ...keyed, "idempotency-key": `Adaretry-${randomUUID()}` },
    "POST",
    "/api/webhooks",
    webhook,
  );
  expect(hooked.status).toBe(201);
  await ask(keyed, "POST", `/api/webhooks/${hooked.body.id}/test`);
  for (const state of ["queued", "cancelled"]) {
    await db.query(
      `insert into app.mail (id, dedupe_key, kind, account_id, address_id, address, address_hash, content, state)
       values ($1, $1::uuid::text, 'alert', $2, $3, 'adamail@example.com', '', '{"pair":"Adapair"}', $4)`,
      [randomUUID(), accountId, addressId, state],
    );
  }
  await ask(headers, "GET", "/api/account/export");
  return { key, token };
}

const toHash = () => `0x${randomUUID().replaceAll("-", "").repeat(2)}`;

/** Stores a quote; with it, for a consumed one, the top-up that the relayer sent two days ago. */
async function addQuote({ accountId, wallet }: Person, consumed: boolean): Promise<void> {
  const quoteId = toHash();
  const address = wallet.address.toLowerCase();
  await database.db.api.query(
    `insert into app.gas_quotes (id, account_id, chain_id, station, wallet, token, token_amount, native_amount, deadline,
       consumed_at) values ($1, $2, $3, '0x', $4, '0x', 1, 1, 1, case when $5 then now() end)`,
    [quoteId, accountId, testChainId, address, consumed],
  );
  if (!consumed) return;
  await database.db.api.query(
    `insert into app.relayer_transactions (id, chain_id, sender, nonce, quote_id, account_id, wallet, client_address,
       station, data, gas_limit, native_amount, deadline, state, mined_hash, created_at)
     values ($1, $2, $1::uuid::text, 0, $3, $4, $5, '192.0.2.77', '0x', '0x', 1, 1, 1, 'confirmed', $6,
       now() - interval '2 days')`,
    [randomUUID(), testChainId, quoteId, accountId, address, toHash()],
  );
}

/** Returns every row of the schema that contains a text, by table; without rate-limit windows, which end in seconds. */
async function findRows(text: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await database.db.api.query<{ name: string }>(
    "select format('app.%I', tablename) as name from pg_tables where schemaname = 'app' and tablename <> 'rate_limits' order by 1",
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await database.db.api.query<{ row: string }>(
      `select row_to_json(t)::text as row from ${name} t where strpos(lower(row_to_json(t)::text), lower($1)) > 0`,
      [text],
    );
    if (rows.length > 0) found[name] = rows.map(({ row }) => row);
  }
  return found;
}

describe("deleting an account", () => {
  it("C4-20 leaves its bookings and nothing of the person, in any table", async () => {
    const person = await openAccount();
    const other = await openAccount();
    await fillAccount(person);
    await fillAccount(other);
    const { accountId } = person;
    // The test fills every table that refers to an account.
    const { rows: named } = await database.db.api.query(
      `select distinct 'app.' || c.table_name as name from information_schema.columns c
       join pg_tables t on t.schemaname = 'app' and t.tablename = c.table_name
       where c.table_schema = 'app' and c.column_name in ('account_id', 'user_id') and c.data_type = 'uuid'`,
    );
    const before = await findRows(accountId);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(named.map(({ name }) => name)));

    expect((await ask(person.headers, "DELETE", "/api/account")).body).toEqual({ removed: true });
    await eraseClientAddresses(database.db.api);

    const after = await findRows(accountId);
    expect(Object.keys(after)).toEqual(["app.accounts", "app.credit_balances", "app.credit_ledger"]);
    expect(JSON.parse(after["app.accounts"]![0]!)).toMatchObject({ name: "deleted" });
    expect(after["app.credit_ledger"]).toEqual(before["app.credit_ledger"]);
    expect(await findRows(`adahandle-${accountId}`)).toEqual({});
    expect(await findRows("192.0.2.77")).toEqual({});
    // The chain shows which wallet was topped up or paid; no stored data link it to the credit transactions.
    const wallet = await findRows(person.wallet.address);
    expect(Object.keys(wallet)).toEqual(["app.gas_quotes", "app.payments", "app.relayer_transactions"]);
    expect(wallet["app.gas_quotes"]).toHaveLength(1);

    expect(Object.keys(await findRows(other.accountId))).toEqual(Object.keys(before));
    expect((await ask(other.headers, "GET", "/api/account")).status).toBe(200);
  });

  it("C4-20 refuses its credentials within a second, and its wallet begins anew", async () => {
    const person = await openAccount();
    const { key } = await fillAccount(person);
    const bearer = { authorization: `Bearer ${key}` };
    expect((await ask(bearer, "GET", "/api/v1/launchpad/intents")).status).toBe(200);
    await ask(person.headers, "DELETE", "/api/account");
    await delay(1_000);
    for (const headers of [bearer, person.headers]) {
      expect((await ask(headers, "GET", "/api/v1/launchpad/intents")).status).toBe(401);
    }
    const again = await openAccount(person.wallet);
    expect(again.accountId).not.toBe(person.accountId);
    expect((await ask(again.headers, "GET", "/api/account/credits")).body.balance).toBe(0);
  });

  it("C4-20 needs a session that signed in within the last ten minutes, never a key", async () => {
    const person = await openAccount();
    const key = await createKey(person, { scopes: ["read", "write", "transactions", "account"] });
    const refused = [403, "reauthentication_required"];
    const byKey = await ask({ authorization: `Bearer ${key}` }, "DELETE", "/api/account");
    expect([byKey.status, byKey.body.error.code]).toEqual(refused);
    const setAge = async (minutes: number) => {
      await database.db.api.query(
        "update app.sessions set created_at = now() - make_interval(mins => $2::int), updated_at = now() where user_id = $1",
        [person.accountId, minutes],
      );
      // Principals are cached for half a second.
      await delay(600);
    };
    await setAge(11);
    const late = await ask(person.headers, "DELETE", "/api/account");
    expect([late.status, late.body.error.code]).toEqual(refused);
    expect((await ask(person.headers, "GET", "/api/account")).status).toBe(200);
    await setAge(9);
    expect((await ask(person.headers, "DELETE", "/api/account")).status).toBe(200);
  });

  it("C4-20 stores nothing of requests that are under way", async () => {
    const person = await openAccount();
    const { key } = await fillAccount(person);
    const bearer = { authorization: `Bearer ${key}` };
    const store = () =>
      ask({ ...bearer, "idempotency-key": randomUUID() }, "POST", "/api/v1/launchpad/intents", newIntent());
    const work = Array.from({ length: 60 }, (_, index) => {
      if (index === 20) return ask(person.headers, "DELETE", "/api/account");
      if (index % 3 === 0) return ask(person.headers, "POST", "/api/account/keys", { name: "Adakey" });
      return store();
    });
    const statuses = new Set((await Promise.all(work)).map(({ status }) => status));
    // Connections that were authenticated in the previous half second.
    statuses.add((await store()).status);
    expect([...statuses].filter((status) => ![200, 201, 401, 409].includes(status))).toEqual([]);
    expect(Object.keys(await findRows(person.accountId))).toEqual([
      "app.accounts",
      "app.credit_balances",
      "app.credit_ledger",
    ]);
  });

  it("C4-20 leaves an account to which nothing can be added, also not by an operator", async () => {
    const { accountId } = await openAccount();
    const db = database.db.api;
    expect(await deleteAccount(db, accountId)).toBe(true);
    expect(await deleteAccount(db, accountId)).toBe(false);
    const grant = { accountId, kind: "grant", amount: 5, reason: "a gift", requestId: randomUUID() } as const;
    expect(await bookCredits(db, grant)).toEqual({ outcome: "no_account" });
    expect(await startPlan(db, accountId, "subscriber", 30)).toBeNull();
    const wallet = { id: randomUUID(), identityId: randomUUID(), accountId, chainId: testChainId };
    await expect(linkWallet(db, { ...wallet, address: newWallet().address })).rejects.toThrow();
    expect(Object.keys(await findRows(accountId))).toEqual(["app.accounts"]);
  });
});

describe("the export of an account", () => {
  it("C4-20 holds everything of the account, no secret, and nothing of another", async () => {
    const person = await openAccount();
    const other = await openAccount();
    const { key, token } = await fillAccount(person);
    await fillAccount(other);
    const { status, body } = await ask(person.headers, "GET", "/api/account/export");
    expect(status).toBe(200);
    expect(body.account.id).toBe(person.accountId);
    expect(body.wallets).toMatchObject([{ address: person.wallet.address }]);
    expect(body.connections).toMatchObject([{ provider: "code_host", handle: `adahandle-${person.accountId}` }]);
    expect(body.sessions).toMatchObject([{ user_agent: "Adabrowser/7", address: "127.0.0.1" }]);
    expect(body.keys).toMatchObject([{ name: "Adakey", revoked_at: null }]);
    expect(body.plans).toMatchObject([{ plan: "subscriber" }]);
    expect(body.credits).toMatchObject({ balance: 5, items: [{ amount: 5 }], next_before: null });
    expect(body.drafts).toMatchObject([{ intent: { name: "Adaboat" } }]);
    expect(body.businesses).toMatchObject([{ listing: { name: "Adashop" } }]);
    expect(body.prepared_launches).toMatchObject([{ token, draft_id: body.drafts[0].id }]);
    expect(body.drafts[0].options).toMatchObject({ partner: person.wallet.address });
    expect(body.prepared_splitters).toMatchObject([
      { draft_id: body.drafts[0].id, method: "creation", account_nonce: 3 },
    ]);
    expect(body.images).toMatchObject([{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 4_096 }]);
    expect(body.forecasts).toMatchObject([{ state: "done", answer: { forecast: [64] } }]);
    expect(body.gas_quotes).toHaveLength(2);
    expect(body.top_ups).toMatchObject([{ client_address: "192.0.2.77", state: "confirmed" }]);
    const kinds = body.events.items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["account_exported", "plan_changed"]));
    const text = JSON.stringify(body);
    for (const secret of [key, person.headers.cookie!.split("=")[1]!, other.accountId, other.wallet.address]) {
      expect(text).not.toContain(secret);
    }
    const { rows } = await database.db.api.query(
      "select encode(hash, 'hex') as hash, token from app.api_keys k join app.sessions s on s.user_id = k.account_id where account_id = $1",
      [person.accountId],
    );
    for (const { hash, token: session } of rows) expect(text.includes(hash) || text.includes(session)).toBe(false);
  });

  it("shows events in pages, newest first, to their account alone", async () => {
    const person = await openAccount();
    const other = await openAccount();
    await database.db.api.query("delete from app.account_events");
    for (let count = 0; count < 3; count++) await ask(person.headers, "GET", "/api/account/export");
    const page = async (query: string) => (await ask(person.headers, "GET", `/api/account/events?${query}`)).body;
    const first = await page("limit=2");
    const second = await page(`limit=2&before=${first.next_before}`);
    const ids = [...first.items, ...second.items].map(({ id }: { id: number }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect([ids.length, second.next_before]).toEqual([3, null]);
    expect((await ask(other.headers, "GET", "/api/account/events")).body).toEqual({ items: [], next_before: null });
  });
});
