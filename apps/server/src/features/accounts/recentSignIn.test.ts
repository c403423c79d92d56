import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { signIn, signInSettings, siteUrl } from "../../../../../tests/support/server/signIn.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { createApiKeySecret } from "../../accounts/apiKeys.ts";
import { createRoutes } from "../../http/routes.ts";

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

type Call = { method: "GET" | "POST" | "DELETE" | "PATCH"; url: string; payload?: object };
const uuid = "01890000-0000-7000-8000-000000000000";
const address = "0x1111111111111111111111111111111111111111";

/** Calls that could take over an account, in forms that no earlier check refuses. */
const guarded: Record<string, Call> = {
  createApiKey: { method: "POST", url: "/api/account/keys", payload: { name: "bot" } },
  deleteAccount: { method: "DELETE", url: "/api/account" },
  endSession: { method: "DELETE", url: `/api/account/sessions/${uuid}` },
  endSessions: { method: "DELETE", url: "/api/account/sessions" },
  linkWallet: { method: "POST", url: "/api/account/wallets", payload: { message: "none", signature: "0x00" } },
  startLink: { method: "POST", url: "/api/auth/link-social", payload: { provider: "code_host" } },
  unlinkConnection: { method: "DELETE", url: "/api/account/connections/code_host" },
  unlinkWallet: { method: "DELETE", url: `/api/account/wallets/${address}` },
};

const send = async (call: Call, headers: Record<string, string>) => {
  const answer = await read.app.inject({ ...call, headers });
  return [answer.statusCode, answer.json().error?.code ?? null];
};
const signInHeaders = async () => {
  const { accountId, cookie } = await signIn(read.app, privateKeyToAccount(generatePrivateKey()));
  return { accountId, headers: { cookie, origin: siteUrl } };
};
const ageSessions = async (accountId: string, minutes: number) => {
  await database.db.api.query(
    "update app.sessions set created_at = now() - make_interval(mins => $2::int) where user_id = $1",
    [accountId, minutes],
  );
  // Principals are cached for half a second.
  await delay(600);
};

/** A key as `npm run accounts` creates one. */
async function createOperatorsKey(scopes: ("read" | "account")[]): Promise<string> {
  const { ids, db } = read.deps;
  const { key, ...stored } = createApiKeySecret(ids);
  await createAccount(db.api, {
    ...{ accountId: ids.uuid(), name: "A", keyId: ids.uuid(), keyName: "k", scopes },
    ...stored,
  });
  return key;
}

describe("C4-16 routes that could take over an account", () => {
  it("C4-16 are exactly the routes of this list", () => {
    const names = createRoutes(read.deps)
      .filter((route) => route.recentSignIn)
      .map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(guarded));
  });

  it.each(Object.entries(guarded))("C4-16 %s refuses an API key, even with the scope account", async (_, call) => {
    const authorization = `Bearer ${await createOperatorsKey(["read", "account"])}`;
    expect(await send(call, { authorization })).toEqual([403, "reauthentication_required"]);
    const { headers } = await signInHeaders();
    expect(await send(call, { ...headers, authorization })).toEqual([403, "reauthentication_required"]);
  });

  it.each(Object.entries(guarded))("C4-16 %s requires a sign-in within the last 10 minutes", async (_, call) => {
    const { accountId, headers } = await signInHeaders();
    await ageSessions(accountId, 11);
    expect(await send(call, headers)).toEqual([403, "reauthentication_required"]);
    // Prolonging a session is not a sign-in.
    await database.db.api.query("update app.sessions set expires_at = now() + interval '1 hour' where user_id = $1", [
      accountId,
    ]);
    expect((await send({ method: "GET", url: "/api/auth/session" }, headers))[0]).toBe(200);
    expect(await send(call, headers)).toEqual([403, "reauthentication_required"]);
    await ageSessions(accountId, 9);
    const [status, code] = await send(call, headers);
    expect([status, code]).not.toContain("reauthentication_required");
  });

  it("C4-16 exclude the emergency routes: any session can revoke a key or sign out", async () => {
    const { accountId, headers } = await signInHeaders();
    const made = await read.app.inject({ ...guarded.createApiKey!, headers });
    await ageSessions(accountId, 60);
    expect((await send({ method: "DELETE", url: `/api/account/keys/${made.json().id}` }, headers))[0]).toBe(200);
    expect((await send({ method: "POST", url: "/api/auth/sign-out" }, headers))[0]).toBe(200);
  });
});

describe("C4-16 the scope account", () => {
  it("C4-16 is granted to a key only if the key's creation names the scope", async () => {
    const { headers } = await signInHeaders();
    const create = async (scopes?: string[]) => {
      const payload = { name: "bot", ...(scopes && { scopes }) };
      return (await read.app.inject({ method: "POST", url: "/api/account/keys", payload, headers })).json();
    };
    const [left, named] = [await create(), await create(["account", "read"])];
    expect(left.scopes).toEqual(["read", "write", "transactions"]);
    const operators = await createOperatorsKey([]);
    const account: Call = { method: "GET", url: "/api/account" };
    for (const key of [left.key, operators]) {
      expect(await send(account, { authorization: `Bearer ${key}` })).toEqual([403, "scope_required"]);
    }
    expect((await send(account, { authorization: `Bearer ${named.key}` }))[0]).toBe(200);
  });

  it("C4-16 is not needed to list connections: read is enough", async () => {
    const { headers } = await signInHeaders();
    const payload = { name: "reader", scopes: ["read"] };
    const { key } = (await read.app.inject({ method: "POST", url: "/api/account/keys", payload, headers })).json();
    const connections: Call = { method: "GET", url: "/api/v1/launchpad/connections" };
    expect((await send(connections, { authorization: `Bearer ${key}` }))[0]).toBe(200);
  });
});
