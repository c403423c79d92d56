import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  askNonce,
  signIn,
  signInSettings,
  signMessage,
  siteUrl,
  verifySigned,
} from "../../../../../tests/support/server/signIn.ts";
import { createApiKeySecret, insertApiKey } from "../../accounts/apiKeys.ts";
import { withTransaction } from "../../db/withTransaction.ts";

const providers = { CODE_HOST_CLIENT_ID: "id", CODE_HOST_CLIENT_SECRET: "secret" };

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { ...signInSettings, ...providers });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

type Call = { method: "GET" | "POST" | "DELETE"; url: string; payload?: object };
const newWallet = () => privateKeyToAccount(generatePrivateKey());
const send = async (call: Call, headers: Record<string, string>) => await read.app.inject({ ...call, headers });
const openBrowser = async (wallet: PrivateKeyAccount) => {
  const { accountId, cookie } = await signIn(read.app, wallet);
  return { accountId, cookie, headers: { cookie, origin: siteUrl } };
};
type Browser = Awaited<ReturnType<typeof openBrowser>>;

const linkWallet = async ({ headers }: Browser, wallet: PrivateKeyAccount) => {
  const { payload, cookie } = await signMessage(wallet, await askNonce(read.app));
  const sent = { ...headers, cookie: `${headers.cookie}; ${cookie}` };
  expect((await send({ method: "POST", url: "/api/account/wallets", payload }, sent)).statusCode).toBe(200);
};
const unlinkWallet = async ({ headers }: Browser, { address }: PrivateKeyAccount) =>
  (await send({ method: "DELETE", url: `/api/account/wallets/${address}` }, headers)).statusCode;
const createKey = async ({ headers }: Browser): Promise<string> =>
  (await send({ method: "POST", url: "/api/account/keys", payload: { name: "bot" } }, headers)).json().key;
const getAccount = async ({ cookie }: Browser) =>
  (await send({ method: "GET", url: "/api/account" }, { cookie })).statusCode;
const useKey = async (key: string) =>
  (await send({ method: "GET", url: "/api/v1/launchpad/intents" }, { authorization: `Bearer ${key}` })).statusCode;
const signOutEverywhere = async ({ headers }: Browser) => {
  expect((await send({ method: "DELETE", url: "/api/account/sessions" }, headers)).statusCode).toBe(200);
};
/** Principals are cached for half a second. */
const untilCachesExpire = async () => await delay(600);

/** Starts to link a provider. Returns the OAuth state and the cookies of the browser. */
const beginLink = async ({ headers }: Browser) => {
  const payload = { provider: "code_host", callback_url: "/settings" };
  const answer = await send({ method: "POST", url: "/api/auth/link-social", payload }, headers);
  const state = new URL(answer.json().url).searchParams.get("state")!;
  return {
    state,
    cookie: [answer.headers["set-cookie"]]
      .flat()
      .map((one) => String(one).split(";")[0])
      .join("; "),
  };
};
const comeBack = async ({ state, cookie }: { state: string; cookie: string }, session?: string) => {
  const url = `/api/auth/callback/code_host?code=c&state=${state}`;
  const sent = session === undefined ? cookie : `${session}; ${cookie}`;
  const { headers } = await send({ method: "GET", url }, { cookie: sent });
  return new URL(String(headers.location), siteUrl).searchParams.get("error");
};
const isStored = async (state: string) =>
  (await database.db.api.query("select from app.verifications where identifier = $1", [state])).rowCount === 1;

/** Applies `change` in a transaction that locks the account, and commits when `work` waits for that lock. */
async function whileLocked<T>(accountId: string, change: string, work: () => Promise<T>): Promise<T> {
  const client = await database.db.indexer.connect();
  try {
    await client.query("begin");
    await client.query("select from app.accounts where id = $1 for no key update", [accountId]);
    await client.query(change, [accountId]);
    const working = work();
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%app.accounts%'";
    await expect.poll(async () => (await database.db.read.query(waiting)).rowCount).toBe(1);
    await client.query("commit");
    return await working;
  } finally {
    client.release();
  }
}

describe("C4-17 unlinking a wallet", () => {
  it("C4-17 ends only the sessions of that wallet and the keys created in those sessions", async () => {
    const [first, second] = [newWallet(), newWallet()];
    const mine = await openBrowser(first);
    await linkWallet(mine, second);
    const theirs = await openBrowser(second);
    expect(theirs.accountId).toBe(mine.accountId);
    const [kept, ended] = [await createKey(mine), await createKey(theirs)];
    const { ids, db } = read.deps;
    const { key: operators, ...stored } = createApiKeySecret(ids);
    const newKey = {
      ...{ keyId: ids.uuid(), accountId: mine.accountId, name: "operator's", ...stored },
      createdBy: "operator",
    } as const;
    await withTransaction(db.api, async (client) => await insertApiKey(client, newKey));
    expect(await unlinkWallet(mine, second)).toBe(200);
    await untilCachesExpire();
    expect([await getAccount(mine), await getAccount(theirs)]).toEqual([200, 401]);
    expect([await useKey(kept), await useKey(operators), await useKey(ended)]).toEqual([200, 200, 401]);
  });

  it("C4-17 also ends sessions of earlier versions, which store no wallet", async () => {
    const [first, second] = [newWallet(), newWallet()];
    const mine = await openBrowser(first);
    await linkWallet(mine, second);
    const old = await openBrowser(first);
    await database.db.api.query(
      "update app.sessions set wallet = null where user_id = $1 and created_at = (select max(created_at) from app.sessions where user_id = $1)",
      [mine.accountId],
    );
    expect(await unlinkWallet(mine, second)).toBe(200);
    await untilCachesExpire();
    expect([await getAccount(mine), await getAccount(old)]).toEqual([200, 401]);
  });

  it("C4-17 also ends keys of earlier versions, which store no creator", async () => {
    const [first, second] = [newWallet(), newWallet()];
    const mine = await openBrowser(first);
    await linkWallet(mine, second);
    const [old, current] = [await createKey(mine), await createKey(mine)];
    await database.db.api.query("update app.api_keys set wallet = null where prefix = $1 and account_id = $2", [
      old.slice(0, 9),
      mine.accountId,
    ]);
    expect(await useKey(old)).toBe(200);
    expect(await unlinkWallet(mine, second)).toBe(200);
    await untilCachesExpire();
    expect([await useKey(old), await useKey(current)]).toEqual([401, 200]);
  });

  it("C4-17 keeps the last wallet, even when all wallets are unlinked concurrently", async () => {
    const [first, second] = [newWallet(), newWallet()];
    const browser = await openBrowser(first);
    await linkWallet(browser, second);
    const statuses = await Promise.all([unlinkWallet(browser, first), unlinkWallet(browser, second)]);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it("C4-17 refuses a key whose session ends during the creation", async () => {
    const browser = await openBrowser(newWallet());
    const endSession = "delete from app.sessions where user_id = $1";
    const payload = { name: "late" };
    const create = async () => await send({ method: "POST", url: "/api/account/keys", payload }, browser.headers);
    const answer = await whileLocked(browser.accountId, endSession, create);
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, "unauthorized"]);
  });
});

describe("C4-17 signing out everywhere", () => {
  it("C4-17 ends earlier sign-in attempts: a message signed before opens no session", async () => {
    const wallet = newWallet();
    const browser = await openBrowser(wallet);
    const early = await signMessage(wallet, await askNonce(read.app));
    await signOutEverywhere(browser);
    const refused = await verifySigned(read.app, early);
    expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([401, undefined]);
    const sessions = "select from app.sessions where user_id = $1";
    expect((await database.db.api.query(sessions, [browser.accountId])).rowCount).toBe(0);
    expect(await getAccount(await openBrowser(wallet))).toBe(200);
  });

  it("C4-17 ends a sign-in that is being verified", async () => {
    const wallet = newWallet();
    const { accountId } = await openBrowser(wallet);
    const signed = await signMessage(wallet, await askNonce(read.app));
    const signOut = "update app.accounts set signed_out_at = clock_timestamp() where id = $1";
    const answer = await whileLocked(accountId, signOut, async () => await verifySigned(read.app, signed));
    expect([answer.statusCode, answer.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  it("C4-17 ends unfinished links of this account only", async () => {
    const [wallet, other] = [newWallet(), newWallet()];
    const [browser, stranger] = [await openBrowser(wallet), await openBrowser(other)];
    const [mine, theirs] = [await beginLink(browser), await beginLink(stranger)];
    expect([await isStored(mine.state), await isStored(theirs.state)]).toEqual([true, true]);
    await signOutEverywhere(browser);
    expect([await isStored(mine.state), await isStored(theirs.state)]).toEqual([false, true]);
    // The link stays invalid for a browser that signs in again.
    expect(await comeBack(mine, (await openBrowser(wallet)).cookie)).toBe("state_mismatch");
  });
});

it("C4-17 an unfinished link ends with the session that started it", async () => {
  const browser = await openBrowser(newWallet());
  const begun = await beginLink(browser);
  expect(await comeBack(begun)).toBe("signed_out");
  await send({ method: "POST", url: "/api/auth/sign-out" }, browser.headers);
  await untilCachesExpire();
  expect(await comeBack(begun, browser.cookie)).toBe("signed_out");
});

it("C4-43 an account has at most 100 sessions: a sign-in ends the sessions that were prolonged least recently", async () => {
  const wallet = newWallet();
  const { accountId, ...first } = await openBrowser(wallet);
  await database.db.api.query(
    `insert into app.sessions (id, user_id, token, expires_at)
     select gen_random_uuid(), $1, 'session limit ' || i, now() + make_interval(hours => i) from generate_series(1, 104) i`,
    [accountId],
  );
  const { cookie } = await openBrowser(wallet);
  const { items } = (await send({ method: "GET", url: "/api/account/sessions" }, { cookie })).json();
  expect(items).toHaveLength(100);
  const left = "select token from app.sessions where user_id = $1 and token like 'session limit %' order by expires_at";
  const { rows } = await database.db.api.query<{ token: string }>(left, [accountId]);
  expect(rows[0]).toEqual({ token: "session limit 7" });
  await untilCachesExpire();
  expect((await send({ method: "GET", url: "/api/account" }, first.headers)).statusCode).toBe(200);
});

it("C4-43 a session stores at most 256 characters of its user agent", async () => {
  const { cookie } = await signIn(read.app, newWallet(), { "user-agent": "a".repeat(10_000) });
  const { items } = (await send({ method: "GET", url: "/api/account/sessions" }, { cookie })).json();
  expect(items[0].user_agent).toBe("a".repeat(256));
});

it("C4-46 an account has at most 100 wallets, even when wallets are linked concurrently", async () => {
  const browser = await openBrowser(newWallet());
  await database.db.api.query(
    `insert into app.wallets (id, user_id, address, chain_id)
     select gen_random_uuid(), $1, '0x' || lpad(to_hex(i), 40, '7'), 46630 from generate_series(1, 98) i`,
    [browser.accountId],
  );
  const wallets = [newWallet(), newWallet(), newWallet()];
  const link = async (wallet: PrivateKeyAccount) => {
    const { payload, cookie } = await signMessage(wallet, await askNonce(read.app));
    const sent = { ...browser.headers, cookie: `${browser.cookie}; ${cookie}` };
    const answer = await send({ method: "POST", url: "/api/account/wallets", payload }, sent);
    return answer.statusCode === 200 ? "linked" : answer.json().error.code;
  };
  const outcomes = await Promise.all(wallets.map(link));
  expect(outcomes.filter((outcome) => outcome === "too_many_wallets")).toHaveLength(2);
  expect(await link(wallets[outcomes.indexOf("linked")]!)).toBe("linked");
});
