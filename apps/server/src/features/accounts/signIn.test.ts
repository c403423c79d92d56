import { setTimeout as delay } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  askNonce,
  getCookie,
  type Signed,
  signIn,
  signInSettings,
  signMessage,
  siteUrl,
  verifySigned,
} from "../../../../../tests/support/server/signIn.ts";

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

const newWallet = () => privateKeyToAccount(generatePrivateKey());
const verify = async (signed: Signed, headers: Record<string, string> = {}) =>
  await verifySigned(read.app, signed, headers);
const account = async (cookie: string) =>
  await read.app.inject({ method: "GET", url: "/api/account", headers: { cookie } });

describe("signing in with a wallet", () => {
  it("creates an account at the first sign-in and reuses the account later", async () => {
    const wallet = newWallet();
    const first = await signIn(read.app, wallet);
    const again = await signIn(read.app, wallet);
    expect(again.accountId).toBe(first.accountId);
    expect(again.cookie).not.toBe(first.cookie);
    const { id, name, wallets, plan, credits } = (await account(again.cookie)).json();
    expect({ id, name, plan, credits }).toEqual({ id: first.accountId, name: wallet.address, plan: null, credits: 0 });
    expect(wallets).toEqual([{ address: wallet.address, linked_at: expect.any(String) }]);
  });

  it("C4-45 creates one account when a wallet signs in several times at once", async () => {
    const wallet = newWallet();
    const signed = await Promise.all([1, 2, 3, 4].map(async () => await signMessage(wallet, await askNonce(read.app))));
    const answers = await Promise.all(signed.map((one) => verify(one)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.json().account_id)).size).toBe(1);
  });

  it("C4-45 signs in a wallet whose first sign-in stopped before the wallet was stored", async () => {
    const wallet = newWallet();
    // Earlier versions left this row when the process ended between two statements.
    const email = `${wallet.address.toLowerCase()}@siwe.placeholder.invalid`;
    await database.db.api.query("insert into app.users (id, name, email) values (gen_random_uuid(), 'x', $1)", [email]);
    expect((await verify(await signMessage(wallet, await askNonce(read.app)))).statusCode).toBe(200);
  });

  it("sets a cookie that scripts cannot read and other sites cannot use", async () => {
    const { answer } = await signIn(read.app, newWallet());
    const cookie = [answer.headers["set-cookie"]].flat().join("\n");
    expect(cookie).toMatch(/^slipway\.session_token=/);
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).toMatch(/Path=\//);
    expect(cookie).not.toMatch(/Secure|Domain/);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it("binds the cookie to the host and to TLS with https", async () => {
    const secure = await createReadApp(database.db, { ...signInSettings, SITE_URL: "https://site.example" });
    const { answer } = await signIn(secure.app, newWallet());
    const cookie = [answer.headers["set-cookie"]].flat().join("\n");
    expect(cookie).toMatch(/^__Host-slipway\.session_token=.*; Secure/);
    expect(cookie).not.toMatch(/Domain/);
    await secure.app.close();
  });

  it("returns 503 with the reason if sign-in is not configured, and generates no secret", async () => {
    const bare = await createReadApp(database.db, { SITE_URL: siteUrl });
    const answer = await bare.app.inject({ method: "POST", url: "/api/auth/siwe/nonce" });
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, "provider_unavailable"]);
    expect(answer.json().error.message).toContain("AUTH_SECRET");
    const config = await bare.get("/config");
    expect(config.json.capabilities.sign_in).toEqual({ configured: false, reason: "AUTH_SECRET is not set." });
    await bare.app.close();
  });

  it("concurrent first sign-ins of one wallet create one account", async () => {
    const wallet = newWallet();
    const issued = await Promise.all([1, 2, 3, 4].map(() => askNonce(read.app)));
    const answers = await Promise.all(issued.map(async (nonce) => await verify(await signMessage(wallet, nonce))));
    expect(answers.map(({ statusCode }) => statusCode)).toContain(200);
    const { rows } = await database.db.api.query(
      "select (select count(*) from app.wallets where address = $1) as wallets, (select count(*) from app.users where name = $1) as users",
      [wallet.address],
    );
    expect(rows[0]).toEqual({ wallets: 1, users: 1 });
  });
});

describe("a sign-in message", () => {
  const hour = 3_600_000;
  const changes: Record<string, Parameters<typeof signMessage>[2]> = {
    "another domain": { domain: "evil.example" },
    "a sub-domain": { domain: "a.site.example:8787" },
    "the domain without its port": { domain: "site.example" },
    "another site's URI": { uri: "http://evil.example:8787" },
    "another port's URI": { uri: "http://site.example:1" },
    "another chain": { chainId: 1 },
    "a nonce of its own": { nonce: "aaaaaaaaaaaaaaaa" },
    "an expiry that has passed": { expirationTime: new Date(Date.now() - 1_000) },
    "a start in the future": { notBefore: new Date(Date.now() + hour) },
    "an issue time in the future": { issuedAt: new Date(Date.now() + hour) },
    "an old issue time": { issuedAt: new Date(Date.now() - hour) },
  };
  it.each(Object.entries(changes))("with %s is refused", async (_, change) => {
    const answer = await verify(await signMessage(newWallet(), await askNonce(read.app), change));
    expect([answer.statusCode, answer.json().error.code, getCookie(answer)]).toEqual([401, "unauthorized", null]);
  });

  it("is accepted once", async () => {
    const signed = await signMessage(newWallet(), await askNonce(read.app));
    expect((await verify(signed)).statusCode).toBe(200);
    expect((await verify(signed)).statusCode).toBe(401);
  });

  it("with a duplicate field is refused", async () => {
    const wallet = newWallet();
    const issued = await askNonce(read.app);
    const { message } = (await signMessage(wallet, issued, { resources: ["https://a.example"] })).payload;
    for (const tail of ["\nChain ID: 46630", "\nNonce: aaaaaaaaaaaaaaaa", "\nExpiration Time: 2099-01-01T00:00:00Z"]) {
      const twice = `${message.replace("Chain ID: 46630", "Chain ID: 1")}${tail}`;
      const payload = { message: twice, signature: await wallet.signMessage({ message: twice }) };
      const answer = await verify({ payload, cookie: issued.cookie });
      expect(answer.statusCode, tail).toBe(401);
    }
  });
});

describe("a page of another site", () => {
  it.each(["http://evil.example", "null", `${siteUrl}.`, siteUrl.toUpperCase(), "http://site.example"])(
    "%s can neither get a nonce nor sign in",
    async (origin) => {
      const nonce = await read.app.inject({ method: "POST", url: "/api/auth/siwe/nonce", headers: { origin } });
      expect([nonce.statusCode, nonce.json().error.code]).toEqual([403, "invalid_origin"]);
      const signed = await signMessage(newWallet(), await askNonce(read.app));
      expect((await verify(signed, { origin })).statusCode).toBe(403);
      expect((await verify(signed, { origin: siteUrl })).statusCode).toBe(200);
    },
  );
});

describe("a session", () => {
  it("ends within a second of sign-out, in that browser only", async () => {
    const wallet = newWallet();
    const [one, two] = [await signIn(read.app, wallet), await signIn(read.app, wallet)];
    expect((await account(one.cookie)).statusCode).toBe(200);
    const headers = { cookie: one.cookie, origin: siteUrl };
    const out = await read.app.inject({ method: "POST", url: "/api/auth/sign-out", headers });
    expect([out.statusCode, getCookie(out)]).toEqual([200, null]);
    expect([out.headers["set-cookie"]].flat().join()).toMatch(/Max-Age=0/);
    await delay(1_000);
    expect((await account(one.cookie)).statusCode).toBe(401);
    expect((await account(two.cookie)).statusCode).toBe(200);
  });

  it("is prolonged when its browser reads it late in its lifetime", async () => {
    const { cookie } = await signIn(read.app, newWallet());
    const ask = () => read.app.inject({ method: "GET", url: "/api/auth/session", headers: { cookie } });
    const fresh = await ask();
    expect([fresh.statusCode, fresh.headers["set-cookie"]]).toEqual([200, undefined]);
    const { session_id } = fresh.json();
    await database.db.api.query("update app.sessions set expires_at = now() + interval '1 hour' where id = $1", [
      session_id,
    ]);
    const late = await ask();
    expect(getCookie(late)).toBe(cookie);
    expect(Date.parse(late.json().expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  });

  it("is refused when it has expired, was changed, or was sent twice", async () => {
    const { cookie } = await signIn(read.app, newWallet());
    const changed = cookie.replace(/=./, (start) => (start === "=A" ? "=B" : "=A"));
    expect((await account(changed)).statusCode).toBe(401);
    expect((await account(`${cookie}; ${cookie}`)).statusCode).toBe(401);
    expect((await account(`other=1; ${cookie}`)).statusCode).toBe(200);
    await database.db.api.query("update app.sessions set expires_at = now() - interval '1 second'");
    await delay(1_000);
    expect((await account(cookie)).statusCode).toBe(401);
  });
});
