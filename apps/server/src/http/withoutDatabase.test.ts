import { pino } from "pino";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import { askNonce, signIn, signInSettings, signMessage, siteUrl } from "../../../../tests/support/server/signIn.ts";
import { parseConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";

let database: ReadDatabase;
/** Has a database; its credentials are sent to the other deployment. */
let connected: ReadApp;
let unreachable: Database;
/** The same deployment with a database that does not respond. */
let disconnected: ReadApp;

beforeAll(async () => {
  database = await startReadDatabase();
  connected = await createReadApp(database.db, signInSettings);
  const config = parseConfig({ DATABASE_URL: "postgres://none@127.0.0.1:9/none", RPC_URL: "http://127.0.0.1:9" });
  unreachable = openDatabase(config, pino({ level: "silent" }));
  disconnected = await createReadApp(unreachable, signInSettings);
});
afterAll(async () => {
  await disconnected?.app.close();
  await connected?.app.close();
  await unreachable?.close();
  await database?.stop();
});

it("reports that the storage is unavailable, never that a credential is invalid", async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const { cookie } = await signIn(connected.app, wallet);
  const signed = await signMessage(wallet, await askNonce(connected.app));
  const headers = { cookie, origin: siteUrl };
  for (const request of [
    { method: "POST", url: "/api/auth/siwe/nonce" },
    { method: "POST", url: "/api/auth/siwe/verify", payload: signed.payload, headers: { cookie: signed.cookie } },
    { method: "GET", url: "/api/auth/session", headers },
    { method: "POST", url: "/api/auth/sign-out", headers },
    { method: "GET", url: "/api/account", headers },
    { method: "GET", url: "/api/account", headers: { authorization: "Bearer slip_any-key-at-all" } },
  ] as const) {
    const answer = await disconnected.app.inject(request);
    expect([answer.statusCode, answer.json().error.code], request.url).toEqual([503, "storage_unavailable"]);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  }
});
