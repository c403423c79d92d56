import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { askNonce, signIn, signInSettings, signMessage, siteUrl } from "../../../../../tests/support/server/signIn.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, signInSettings);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

test("each change of wallets, links, keys and sessions adds an account event; repeated and refused changes add none", async () => {
  const [first, second] = [1, 2].map(() => privateKeyToAccount(generatePrivateKey()));
  const { accountId, cookie } = await signIn(read.app, first!);
  const send = async (method: "GET" | "POST" | "DELETE", url: string, payload?: object, more = "") =>
    await read.app.inject({
      ...{ method, url, headers: { cookie: cookie + more, origin: siteUrl } },
      ...(payload && { payload }),
    });
  for (let time = 0; time < 2; time++) {
    const signed = await signMessage(second!, await askNonce(read.app));
    await send("POST", "/api/account/wallets", signed.payload, `; ${signed.cookie}`);
  }
  const other = await signIn(read.app, second!);
  const { id } = (await send("POST", "/api/account/keys", { name: "bot", scopes: ["read", "write"] })).json();
  for (let time = 0; time < 2; time++) await send("DELETE", `/api/account/keys/${id}`);
  const sessions = (await send("GET", "/api/account/sessions")).json().items as { id: string; current: boolean }[];
  const session = sessions.find(({ current }) => !current)!.id;
  for (let time = 0; time < 2; time++) await send("DELETE", `/api/account/sessions/${session}`);
  await database.db.api.query(
    "insert into app.identities (id, user_id, provider_id, account_id) values ($1, $2, 'code_host', '42')",
    [read.deps.ids.uuid(), accountId],
  );
  for (let time = 0; time < 2; time++) await send("DELETE", "/api/account/connections/code_host");
  for (const { address } of [second!, second!, first!]) await send("DELETE", `/api/account/wallets/${address}`);
  await send("DELETE", "/api/account/sessions");
  expect(other.accountId).toBe(accountId);

  const { rows } = await database.db.api.query(
    "select kind, details from app.account_events where account_id = $1 order by id",
    [accountId],
  );
  expect(rows.map(({ kind, details }) => [kind, details])).toEqual([
    ["wallet_linked", { wallet: first!.address }],
    ["wallet_linked", { wallet: second!.address }],
    ["key_created", { key_id: id, name: "bot", scopes: "read write" }],
    ["key_revoked", { key_id: id, name: "bot" }],
    ["session_revoked", { session_id: session }],
    ["connection_unlinked", { provider: "code_host", id: "42" }],
    ["wallet_unlinked", { wallet: second!.address, sessions: 0, keys: 0 }],
    ["signed_out_everywhere", { sessions: 1 }],
  ]);
});
