import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { accountExport, maxExportedEntries } from "@slipway/protocol/accountExport";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import { signIn, signInSettings } from "../../../../tests/support/server/signIn.ts";
import { exportAccount } from "./exportAccount.ts";

let database: ReadDatabase;
let read: ReadApp;
let accountId: string;
let cookie: string;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, signInSettings);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});
beforeEach(async () => {
  ({ accountId, cookie } = await signIn(read.app, privateKeyToAccount(generatePrivateKey())));
});

const addEvents = async (count: number, size = 10) =>
  await database.db.api.query(
    `insert into app.account_events (account_id, kind, details)
     select $1, 'session_revoked', jsonb_build_object('session_id', repeat('x', $3::int) || n) from generate_series(1, $2::int) n`,
    [accountId, count, size],
  );
/** Drafts, many of which have the same microsecond of creation. */
const addDrafts = async (count: number) =>
  await database.db.api.query(
    `insert into app.intents (id, account_id, idempotency_key, body_hash, intent, created_at)
     select gen_random_uuid(), $1, 'draft-00' || n, '', jsonb_build_object('name', n),
       timestamptz '2026-01-01' + interval '1 microsecond' * (n / 150) from generate_series(1, $2::int) n`,
    [accountId, count],
  );

it("exports every entry of long lists once, newest first", async () => {
  await addEvents(1_234);
  await addDrafts(777);
  const { statusCode, json, headers } = await read.app.inject({ url: "/api/account/export", headers: { cookie } });
  expect([statusCode, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  const exported = accountExport.parse(json());
  const { rows: events } = await database.db.api.query(
    "select id::float8 as id from app.account_events where account_id = $1 order by id desc",
    [accountId],
  );
  expect(exported.events.items.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  expect(exported.events.next_before).toBeNull();
  const { rows: drafts } = await database.db.api.query(
    "select id from app.intents where account_id = $1 order by created_at desc, id desc",
    [accountId],
  );
  expect(exported.drafts.map(({ id }) => id)).toEqual(drafts.map(({ id }) => id));
});

it("exports the newest 10,000 events, and the position of the next page", async () => {
  await addEvents(maxExportedEntries + 5);
  const exported = accountExport.parse(JSON.parse((await Array.fromAsync((await readExport())!)).join("")));
  expect(exported.events.items).toHaveLength(maxExportedEntries);
  expect(exported.events.next_before).toBe(exported.events.items.at(-1)!.id);
});

it("reads 100 entries at a time, and none before the reader takes them, without using a connection", async () => {
  await addEvents(1_000);
  const exported = (await readExport())!;
  let longest = 0;
  for await (const piece of exported) {
    longest = Math.max(longest, (piece.match(/session_revoked/g) ?? []).length);
    // All other connections are idle while the reader does nothing.
    expect(database.db.api.idleCount).toBe(database.db.api.totalCount);
  }
  expect(longest).toBe(100);
});

it("C4-92 reads four large answers of forecasts at a time", async () => {
  await database.db.api.query(
    `insert into app.forecast_runs (request_id, account_id, key_hash, body_hash, state, answer)
     select $1 || '-' || n, $1::uuid, decode(lpad(to_hex(n), 64, '0'), 'hex'), '', 'done',
       convert_to(json_build_object('text', repeat('x', 100000))::text, 'UTF8') from generate_series(1, 22) n`,
    [accountId],
  );
  const pieces = await Array.fromAsync((await readExport())!);
  expect(accountExport.parse(JSON.parse(pieces.join(""))).forecasts).toHaveLength(22);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(420_000);
});

it("refuses a second export of an account while the first is unread, and allows it after the first is closed", async () => {
  // More than the connection's buffers can contain.
  await addEvents(9_000, 3_000);
  const { port } = (await listen()).address() as AddressInfo;
  const open = async (): Promise<IncomingMessage> => {
    const asked = request({ port, host: "127.0.0.1", path: "/api/account/export", headers: { cookie } }).end();
    const [answer] = await once(asked, "response");
    return answer as IncomingMessage;
  };
  const unread = await open();
  expect(unread.statusCode).toBe(200);
  const refused = await open();
  expect(refused.statusCode).toBe(429);
  refused.resume();
  unread.destroy();
  await expect
    .poll(async () => {
      const answer = await open();
      answer.destroy();
      return answer.statusCode;
    })
    .toBe(200);
});

const readExport = async () => await exportAccount(database.db.api, accountId);

async function listen() {
  if (!read.app.server.listening) await read.app.listen({ port: 0, host: "127.0.0.1" });
  return read.app.server;
}
