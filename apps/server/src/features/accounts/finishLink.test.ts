import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { signIn, signInSettings, siteUrl } from "../../../../../tests/support/server/signIn.ts";

// Nothing listens at the provider's address, so that a flow that the service follows ends with `invalid_code`.
const provider = {
  CODE_HOST_CLIENT_ID: "id",
  CODE_HOST_CLIENT_SECRET: "secret",
  CODE_HOST_TOKEN_URL: "http://127.0.0.1:1/token",
};

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { ...signInSettings, ...provider });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

const openBrowser = async () => await signIn(read.app, privateKeyToAccount(generatePrivateKey()));

const startLink = async (cookie: string, callback_url: string) =>
  await read.app.inject({
    method: "POST",
    url: "/api/auth/link-social",
    headers: { cookie, origin: siteUrl },
    payload: { provider: "code_host", callback_url },
  });

/** Starts a link; returns its state, and the cookies of the browser. */
async function beginLink(session: string, callbackUrl = "/settings") {
  const answer = await startLink(session, callbackUrl);
  expect(answer.statusCode, answer.body).toBe(200);
  const cookies = [answer.headers["set-cookie"]].flat().map((one) => String(one).split(";")[0]);
  return { state: new URL(answer.json().url).searchParams.get("state")!, cookie: [session, ...cookies].join("; ") };
}

/** Returns from the provider; resolves with the location that the browser is sent to. */
async function comeBack(query: string, cookie: string): Promise<string> {
  const url = `/api/auth/callback/code_host?code=c&${query}`;
  const answer = await read.app.inject({ method: "GET", url, headers: { cookie } });
  expect(answer.statusCode, answer.body).toBe(302);
  return String(answer.headers.location);
}

const mismatch = `${siteUrl}/?error=state_mismatch`;
const followed = `${siteUrl}/settings?error=invalid_code`;

describe("C4-58 the callback of a provider", () => {
  it("refuses a page that is not a path of the site in its normal form", async () => {
    const { cookie } = await openBrowser();
    for (const path of ["/.//elsewhere.example", "/..//elsewhere.example", "/a//b", "/a/../b", "/%2e//x", "/\\x"]) {
      const { statusCode, body } = await startLink(cookie, path);
      expect([path, statusCode, JSON.parse(body).error.field]).toEqual([path, 422, "callback_url"]);
    }
  });

  it("never follows a state of another browser or account, and leaves that state to its owner", async () => {
    const [attacker, victim] = [await openBrowser(), await openBrowser()];
    const { state, cookie } = await beginLink(attacker.cookie);
    const stateCookie = cookie.split("; ").at(-1)!;
    for (let n = 0; n < 3; n++) {
      expect(await comeBack(`state=${state}`, victim.cookie)).toBe(mismatch);
      // The attacker's cookie in the victim's browser.
      expect(await comeBack(`state=${state}`, `${victim.cookie}; ${stateCookie}`)).toBe(mismatch);
    }
    expect(await comeBack(`state=${state}`, attacker.cookie)).toBe(mismatch);
    expect(await comeBack(`state=${state}`, cookie)).toBe(followed);
  });

  it("follows a state once, even if it comes back several times at once", async () => {
    const { cookie: session } = await openBrowser();
    const { state, cookie } = await beginLink(session);
    const locations = await Promise.all(Array.from({ length: 6 }, () => comeBack(`state=${state}`, cookie)));
    expect(locations.filter((location) => location === followed).length).toBe(1);
    expect(locations.filter((location) => location === mismatch).length).toBe(5);
  });

  it("refuses two states, a forged cookie and no state", async () => {
    const [own, other] = [await openBrowser(), await openBrowser()];
    const mine = await beginLink(own.cookie);
    const theirs = await beginLink(other.cookie);
    expect(await comeBack(`state=${mine.state}&state=${theirs.state}`, mine.cookie)).toBe(mismatch);
    expect(await comeBack("", mine.cookie)).toBe(mismatch);
    expect(await comeBack(`state=${theirs.state}`, `${own.cookie}; slipway.state=${theirs.state}.forged`)).toBe(
      mismatch,
    );
  });

  it("leads to the site, whatever a stored state names", async () => {
    for (const stored of ["/.//elsewhere.example", "/..//elsewhere.example", "https://elsewhere.example/a"]) {
      const { cookie: session } = await openBrowser();
      const { state, cookie } = await beginLink(session, "/stored");
      await database.db.api.query(
        "update app.verifications set value = replace(value, '\"/stored\"', $2) where identifier = $1",
        [state, JSON.stringify(stored)],
      );
      const location = new URL(await comeBack(`state=${state}`, cookie));
      expect([stored, location.origin, location.pathname]).toEqual([stored, siteUrl, "/"]);
    }
  });
});
