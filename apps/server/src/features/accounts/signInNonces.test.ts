import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
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
const status = async (...all: Parameters<typeof verifySigned>) => (await verifySigned(...all)).statusCode;

test("C4-15 a nonce is 128 bits of the system's random generator, and no two nonces share a part", async () => {
  const nonces: string[] = [];
  for (let index = 0; index < 40; index++) nonces.push((await askNonce(read.app)).nonce);
  const parts = nonces.flatMap((nonce) => {
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    return Array.from({ length: 17 }, (_, at) => nonce.slice(at, at + 16));
  });
  expect(new Set(parts).size).toBe(parts.length);
});

test("C4-15 the nonce cookie is short-lived, is not readable by scripts and is never sent from other sites", async () => {
  const set = async (app: ReadApp["app"]) => {
    const answer = await app.inject({ method: "POST", url: "/api/auth/siwe/nonce" });
    return [answer.headers["set-cookie"]].flat();
  };
  const attributes = "Max-Age=900; Path=/; HttpOnly; SameSite=Strict";
  expect(await set(read.app)).toEqual([
    expect.stringMatching(new RegExp(`^slipway\\.sign_in=[0-9a-f]{32}; ${attributes}$`)),
  ]);
  const secure = await createReadApp(database.db, { ...signInSettings, SITE_URL: "https://site.example" });
  expect(await set(secure.app)).toEqual([
    expect.stringMatching(new RegExp(`^__Host-slipway\\.sign_in=[0-9a-f]{32}; ${attributes}; Secure$`)),
  ]);
  await secure.app.close();
});

test("C4-15 an attempt from another browser is refused and does not consume the nonce", async () => {
  const [victim, attacker] = [newWallet(), newWallet()];
  const issued = await askNonce(read.app);
  const theirs = await askNonce(read.app);
  const signed = await signMessage(victim, issued);
  const forged = await signMessage(attacker, issued);
  const planted = `slipway.sign_in=${"a".repeat(32)}`;
  for (const cookie of ["other=1", theirs.cookie, planted, "slipway.sign_in=", `x${issued.cookie}`]) {
    for (const { payload } of [signed, forged]) {
      const answer = await verifySigned(read.app, { payload, cookie });
      expect([answer.statusCode, answer.json().error.code], cookie).toEqual([401, "unauthorized"]);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  }
  // A cookie of the same name, set by a sub-domain, does not hide the nonce cookie.
  expect(await status(read.app, { ...signed, cookie: `${planted}; ${signed.cookie}` })).toBe(200);
  expect(await status(read.app, signed)).toBe(401);
});

test("C4-15 an attempt from another browser to link a wallet does not consume the nonce", async () => {
  const [owner, attacker] = [await signIn(read.app, newWallet()), await signIn(read.app, newWallet())];
  const second = newWallet();
  const signed = await signMessage(second, await askNonce(read.app));
  const link = async (cookie: string) =>
    await read.app.inject({
      method: "POST",
      url: "/api/account/wallets",
      payload: signed.payload,
      headers: { cookie, origin: siteUrl },
    });
  for (const cookie of [attacker.cookie, `${attacker.cookie}; ${(await askNonce(read.app)).cookie}`]) {
    const refused = await link(cookie);
    expect([refused.statusCode, refused.json().error.code]).toEqual([422, "signature_invalid"]);
  }
  expect((await link(`${owner.cookie}; ${signed.cookie}`)).statusCode).toBe(200);
});

test("C4-15 two tabs of a browser can sign in at the same time", async () => {
  const first = await askNonce(read.app);
  const second = await askNonce(read.app, { cookie: first.cookie });
  expect(second.cookie).toBe(first.cookie);
  expect(second.nonce).not.toBe(first.nonce);
  expect(await status(read.app, await signMessage(newWallet(), first))).toBe(200);
  expect(await status(read.app, await signMessage(newWallet(), second))).toBe(200);
});
