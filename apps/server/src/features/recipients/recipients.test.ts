import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { askNonce, signIn, signInSettings, signMessage, siteUrl } from "../../../../../tests/support/server/signIn.ts";
import { recordHandle } from "../../accounts/identities.ts";

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

type Headers = Record<string, string>;
const newWallet = () => privateKeyToAccount(generatePrivateKey());
const openAccount = async () => {
  const wallet = newWallet();
  const { accountId, cookie } = await signIn(read.app, wallet);
  return { wallet, accountId, headers: { cookie, origin: siteUrl } };
};
type Account = Awaited<ReturnType<typeof openAccount>>;

/** Stores the rows of a link to a provider; only the provider's account id is unique. */
async function proveHandle({ accountId }: Account, handle: string, id = handle, provider = "code_host") {
  await database.db.api.query(
    `insert into app.identities (id, user_id, provider_id, account_id) values (gen_random_uuid(), $1, $2, $3)
     on conflict (provider_id, account_id) do nothing`,
    [accountId, provider, id],
  );
  await recordHandle(database.db.api, { provider, id, handle });
}

const send = async (method: "GET" | "PATCH" | "DELETE", url: string, headers: Headers, payload?: object) => {
  const answer = await read.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, json: answer.json() };
};
const choose = async ({ headers }: Account, payout_wallet: unknown) => {
  const { status, json } = await send("PATCH", "/api/account", headers, { payout_wallet });
  return [status, json.error?.code ?? json.payout_wallet];
};
/** Returns the response to another account. */
const find = async (handle: string, provider = "code_host", sender?: Headers) => {
  const { headers } = sender === undefined ? await openAccount() : { headers: sender };
  const url = `/api/v1/launchpad/recipients?provider=${provider}&handle=${encodeURIComponent(handle)}`;
  const { status, json } = await send("GET", url, headers);
  return [status, json.error?.code ?? json];
};
const listEvents = async ({ headers }: Account) =>
  (await send("GET", "/api/account/events", headers)).json.items
    .filter(({ kind }: any) => kind === "payout_wallet_changed")
    .map(({ details }: any) => details.wallet);
const absent = [404, "recipient_not_found"];
const linkSecond = async (account: Account) => {
  const second = newWallet();
  const { payload, cookie } = await signMessage(second, await askNonce(read.app));
  const headers = { ...account.headers, cookie: `${account.headers.cookie}; ${cookie}` };
  const { statusCode } = await read.app.inject({ method: "POST", url: "/api/account/wallets", payload, headers });
  expect(statusCode).toBe(200);
  return second;
};

describe("GET /recipients", () => {
  test("returns the wallet that the account with the proven handle chose, for any case and with an @", async () => {
    const owner = await openAccount();
    await proveHandle(owner, "Octo-Cat");
    expect(await find("Octo-Cat")).toEqual(absent);
    expect(await choose(owner, owner.wallet.address.toLowerCase())).toEqual([200, owner.wallet.address]);
    const found = { provider: "code_host", handle: "Octo-Cat", wallet: owner.wallet.address };
    for (const handle of ["Octo-Cat", "octo-cat", "@OCTO-CAT"])
      expect(await find(handle), handle).toEqual([200, found]);
    expect(await find("Octo-Cat", "social")).toEqual(absent);
    expect(await choose(owner, null)).toEqual([200, null]);
    expect(await find("Octo-Cat")).toEqual(absent);
    expect(await listEvents(owner)).toEqual([null, owner.wallet.address]);
  });

  test("C4-51 returns the same error for an unproven handle and for an account without a payout wallet", async () => {
    const [silent, asking] = [await openAccount(), await openAccount()];
    await proveHandle(silent, "silent");
    const ask = async (handle: string) => {
      const url = `/api/v1/launchpad/recipients?provider=code_host&handle=${encodeURIComponent(handle)}`;
      const { status, json } = await send("GET", url, asking.headers);
      const { request_id: _, ...error } = json.error;
      return { status, error };
    };
    const unknown = await ask("unproven");
    expect(unknown).toMatchObject({ status: 404, error: { code: "recipient_not_found" } });
    for (const handle of ["silent", "SILENT", "si%ent", "_ilent", "silent'--", "\u202esilent"]) {
      expect(await ask(handle), handle).toEqual(unknown);
    }
    const without = await send("GET", "/api/v1/launchpad/recipients?provider=code_host&handle=silent", {});
    expect([without.status, without.json.error.code]).toEqual([401, "unauthorized"]);
    for (const query of ["provider=wallet&handle=a", "provider=code_host", "handle=a", "provider=code_host&handle="]) {
      const { status, json } = await send("GET", `/api/v1/launchpad/recipients?${query}`, asking.headers);
      expect([status, json.error.code], query).toEqual([400, "invalid_query"]);
    }
  });

  test("C4-52 a handle with a new owner returns the new owner's wallet or none, never the former owner's", async () => {
    const [former, next] = [await openAccount(), await openAccount()];
    await proveHandle(former, "moving", "id-1");
    await choose(former, former.wallet.address);
    await proveHandle(next, "MOVING", "id-2");
    expect(await find("moving")).toEqual(absent);
    await choose(next, next.wallet.address);
    expect(await find("moving")).toEqual([
      200,
      { provider: "code_host", handle: "MOVING", wallet: next.wallet.address },
    ]);
    // The provider's account has another name now; no account has proven its old name.
    await proveHandle(next, "renamed", "id-2");
    expect(await find("moving")).toEqual(absent);
    expect((await send("DELETE", "/api/account/connections/code_host", next.headers)).status).toBe(200);
    expect(await find("renamed")).toEqual(absent);
  });

  test("C4-52 an unlinked wallet and the wallet of a deleted account are no longer published", async () => {
    const owner = await openAccount();
    await proveHandle(owner, "leaving");
    const second = await linkSecond(owner);
    await choose(owner, second.address);
    expect((await find("leaving"))[0]).toBe(200);
    expect((await send("DELETE", `/api/account/wallets/${second.address}`, owner.headers)).status).toBe(200);
    expect(await find("leaving")).toEqual(absent);
    expect(await listEvents(owner)).toEqual([null, second.address]);
    await choose(owner, owner.wallet.address);
    const { json } = await send("GET", "/api/account/export", owner.headers);
    expect(json.wallets).toMatchObject([{ address: owner.wallet.address, is_payout: true }]);
    expect((await send("DELETE", "/api/account", owner.headers)).status).toBe(200);
    expect(await find("leaving")).toEqual(absent);
    const { rows } = await database.db.api.query("select from app.wallets where address = $1", [owner.wallet.address]);
    expect(rows).toEqual([]);
  });
});

describe("C4-52 the payout wallet", () => {
  test("is one of the account's own wallets, and initially null", async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    const { json } = await send("GET", "/api/account", owner.headers);
    expect(json.payout_wallet).toBeNull();
    expect(await choose(owner, other.wallet.address)).toEqual([422, "invalid_fields"]);
    for (const wallet of ["0x12", "", 1, [owner.wallet.address], `0x${"0".repeat(40)}`]) {
      expect(await choose(owner, wallet)).toEqual([422, "invalid_fields"]);
    }
    const { status } = await send("PATCH", "/api/account", owner.headers, {});
    expect(status).toBe(422);
    expect(await listEvents(owner)).toEqual([]);
  });

  test("can be changed only by a session signed in within 10 minutes, and by no key, unlike a name", async () => {
    const owner = await openAccount();
    const payload = { name: "bot", scopes: ["read", "write", "transactions", "account"] };
    const made = await read.app.inject({ method: "POST", url: "/api/account/keys", payload, headers: owner.headers });
    const key = { authorization: `Bearer ${made.json().key}` };
    const withKey = { ...owner, headers: { ...owner.headers, ...key } };
    expect(await choose(withKey, owner.wallet.address)).toEqual([403, "reauthentication_required"]);
    expect(await choose(withKey, null)).toEqual([403, "reauthentication_required"]);
    expect((await send("PATCH", "/api/account", key, { name: "Renamed" })).json.name).toBe("Renamed");
    await database.db.api.query(
      "update app.sessions set created_at = now() - interval '11 minutes' where user_id = $1",
      [owner.accountId],
    );
    // Principals are cached for half a second.
    await delay(600);
    const both = { name: "Both", payout_wallet: owner.wallet.address };
    const { status, json } = await send("PATCH", "/api/account", owner.headers, both);
    expect([status, json.error.code]).toEqual([403, "reauthentication_required"]);
    expect((await send("GET", "/api/account", owner.headers)).json).toMatchObject({
      name: "Renamed",
      payout_wallet: null,
    });
    expect((await send("PATCH", "/api/account", owner.headers, { name: "Again" })).json.name).toBe("Again");
  });

  test("is one wallet after concurrent choices, and never a wallet that is unlinked meanwhile", async () => {
    const owner = await openAccount();
    await proveHandle(owner, "hurried");
    const second = await linkSecond(owner);
    const wallets = [owner.wallet.address, second.address];
    await Promise.all(Array.from({ length: 10 }, async (_, n) => await choose(owner, wallets[n % 2])));
    const { rows } = await database.db.api.query("select from app.wallets where user_id = $1 and is_payout", [
      owner.accountId,
    ]);
    expect(rows).toHaveLength(1);
    const unlink = send("DELETE", `/api/account/wallets/${second.address}`, owner.headers);
    await Promise.all([choose(owner, second.address), unlink]);
    const [status] = await find("hurried");
    const { json } = await send("GET", "/api/account", owner.headers);
    expect(json.payout_wallet === null ? 404 : 200).toBe(status);
    expect(json.payout_wallet).not.toBe(second.address);
  });
});
