import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { bakery, useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";
import { startUntrustedServer, type UntrustedServer } from "../../../../../tests/support/security/untrustedServer.ts";
import type { Job } from "../../job.ts";
import { createUntrustedFetch, type UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { systemClock } from "../../systemClock.ts";
import { checkWebsiteProofs } from "./checkWebsiteProofs.ts";

const { fixture, createAccount, publish, send } = useBusinesses();

/** 127.0.0.2 represents the public internet. */
const outside = "127.0.0.2";
let server: UntrustedServer;
let job: Job | null = null;
let records: Record<string, string[]> = {};
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let paths: string[] = [];

beforeAll(async () => {
  server = await startUntrustedServer((request, response) => {
    paths.push(request.url!);
    answer(request, response);
  });
});
afterAll(() => server?.close());
beforeEach(() => {
  [records, paths] = [{}, []];
  answer = (_request, response) => response.writeHead(404).end();
});
afterEach(() => job?.stop());

function start(resolve = async () => [outside]): void {
  const untrustedFetch = createUntrustedFetch({
    clock: systemClock,
    ca: server.ca,
    resolve,
    addressPolicy: (target) => target.address === outside,
  });
  const { deps } = fixture.read;
  const config = { ...deps.config, WEBSITE_PROOF_POLL_MS: 10 };
  job = checkWebsiteProofs({ ...deps, config }, { untrustedFetch, resolveTxt: async (name) => records[name] ?? [] });
}

const sendText = (text: string, headers: Record<string, string> = {}) => {
  answer = (_request, response) => void response.writeHead(200, { "content-type": "text/plain", ...headers }).end(text);
};

/** Publishes a listing with a website and requests the proof. */
async function prepare(website = server.url("/shop")) {
  const { key } = await createAccount();
  const { body } = await publish(key, { website });
  const path = `/businesses/${body.id}`;
  const ask = async () => (await send("POST", `${path}/website-proof`, { key })).body;
  return { key, path, ask, proof: await ask() };
}

const untilStatus = async (ask: () => Promise<{ status: string; reason: string | null }>, status: string) =>
  await vi.waitFor(async () => expect((await ask()).status).toBe(status), 60_000);
const untilReason = async (ask: () => Promise<{ reason: string | null }>, reason: string) =>
  await vi.waitFor(async () => expect((await ask()).reason).toBe(reason), 60_000);
const isVerified = async (path: string) => (await send("GET", path)).body.verified.website;
/** Makes all checks due now. */
const makeDue = async () => void (await fixture.database.db.api.query("update app.website_proofs set next_at = now()"));

describe("the proof of a listing's website", () => {
  test("is found in the well-known file, on a line of its own", async () => {
    const { ask, proof, path, key } = await prepare();
    expect(proof).toEqual({
      code: expect.stringMatching(/^[0-9a-f]{32}$/),
      file_url: server.url("/.well-known/slipway.txt"),
      dns_name: "_slipway.documents.example",
      status: "pending",
      reason: null,
    });
    expect((await ask()).code).toBe(proof.code);
    sendText(`other\r\n  ${proof.code} \n`);
    start();
    await untilStatus(ask, "verified");
    expect([await isVerified(path), paths]).toEqual([true, ["/.well-known/slipway.txt"]]);
    const { body } = await send("GET", "/api/account/businesses", { key });
    expect(body.items[0].website_proof).toMatchObject({ status: "verified", code: proof.code });
    const { rows } = await fixture.database.db.api.query(
      "select next_at > now() + interval '29 days' as later from app.website_proofs",
    );
    expect(rows).toEqual([{ later: true }]);
  });

  test("is found in a TXT record", async () => {
    const { ask, proof } = await prepare();
    records["_slipway.documents.example"] = ["v=spf1", proof.code];
    start();
    await untilStatus(ask, "verified");
  });

  test("belongs to one listing only", async () => {
    const first = await prepare();
    const second = await prepare();
    expect(second.proof.code).not.toBe(first.proof.code);
    sendText(first.proof.code);
    start();
    await untilStatus(first.ask, "verified");
    await untilReason(second.ask, "code_missing");
    expect(await isVerified(second.path)).toBe(false);
  });

  test("ends when the website changes, and a running check then has no effect", async () => {
    const { ask, proof, path, key } = await prepare();
    let finish = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      answer = (_request, response) => {
        finish = () => void response.writeHead(200, { "content-type": "text/plain" }).end(proof.code);
        resolve();
      };
    });
    start();
    await arrived;
    const put = { key, headers: { "if-match": "*" }, body: { ...bakery, website: server.url("/other") } };
    expect((await send("PUT", path, put)).status).toBe(200);
    const next = await ask();
    expect(next.code).not.toBe(proof.code);
    finish();
    sendText(proof.code);
    await untilReason(ask, "code_missing");
    expect(await isVerified(path)).toBe(false);
    expect((await ask()).code).toBe(next.code);
  });

  test("fails after the third check that does not find the code on a verified website", async () => {
    const { ask, proof, path } = await prepare();
    sendText(proof.code);
    start();
    await untilStatus(ask, "verified");
    sendText("gone");
    for (const checks of [1, 2]) {
      await makeDue();
      await vi.waitFor(() => expect(paths).toHaveLength(checks + 1), 60_000);
      await untilReason(ask, "code_missing");
      expect(await isVerified(path)).toBe(true);
    }
    await makeDue();
    await untilStatus(ask, "pending");
    expect(await isVerified(path)).toBe(false);
  });

  test("C5-51 is not delayed by slow websites of another account, which has two checks in progress", async () => {
    const slow = await createAccount();
    const publishSlow = async (n: number) => {
      const { body } = await publish(slow.key, { website: `https://slow${n}.example` });
      await send("POST", `/businesses/${body.id}/website-proof`, { key: slow.key });
    };
    for (let n = 0; n < 20; n++) await publishSlow(n);
    const { ask, proof } = await prepare("https://fast.example");
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    const { deps } = fixture.read;
    const untrustedFetch: UntrustedFetch = async (url) => {
      const { host } = new URL(url);
      asked.push(host);
      if (host !== "fast.example") await new Promise<void>((resolve) => hanging.push(resolve));
      return { status: 200, headers: {}, bytes: new TextEncoder().encode(proof.code), finalUrl: url };
    };
    const config = { ...deps.config, WEBSITE_PROOF_POLL_MS: 10 };
    job = checkWebsiteProofs({ ...deps, config }, { untrustedFetch, resolveTxt: async () => [] });
    await untilStatus(ask, "verified");
    await vi.waitFor(() => expect(asked).toHaveLength(3), 60_000);
    hanging[0]!();
    await vi.waitFor(() => expect(asked).toHaveLength(4), 60_000);
    expect(hanging).toHaveLength(3);
    for (const finish of hanging) finish();
    while (hanging.length < 20) {
      const from = hanging.length;
      await vi.waitFor(() => expect(hanging.length).toBeGreaterThan(from), 60_000);
      for (const finish of hanging) finish();
    }
  });

  test("is refused without a website and for another account's listing", async () => {
    const { key } = await createAccount();
    const { body } = await publish(key);
    const refused = await send("POST", `/businesses/${body.id}/website-proof`, { key });
    expect([refused.status, refused.body.error.field]).toEqual([422, "website"]);
    const other = await prepare();
    expect((await send("POST", `${other.path}/website-proof`, { key })).body.error.code).toBe("listing_not_found");
  });
});
