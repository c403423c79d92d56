import { checkWebsiteProofs } from "@slipway/server/features/businesses/checkWebsiteProofs";
import type { Job } from "@slipway/server/job";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bakery, useBusinesses } from "../support/businesses/useBusinesses.ts";
import { outside, usePartner } from "../support/businesses/usePartner.ts";
import { startTrap } from "../support/security/untrustedServer.ts";

const { fixture, createAccount, publish, send } = useBusinesses();
const site = usePartner();
let job: Job | null = null;
afterEach(() => job?.stop());

/** Checks all websites from now on. @param txt - The records of every name. */
function start(txt: string[] = [], resolve?: (name: string) => Promise<string[]>): string[] {
  const asked: string[] = [];
  const { deps } = fixture.read;
  const sources = {
    untrustedFetch: site.createFetch(resolve),
    resolveTxt: async (name: string) => {
      asked.push(name);
      return txt;
    },
  };
  job = checkWebsiteProofs({ ...deps, config: { ...deps.config, WEBSITE_PROOF_POLL_MS: 10 } }, sources);
  return asked;
}

async function prepare(website = site.server.url("/")) {
  const { key } = await createAccount();
  const { body } = await publish(key, { website });
  const path = `/businesses/${body.id}`;
  const ask = async () => (await send("POST", `${path}/website-proof`, { key })).body;
  return { key, path, ask, code: (await ask()).code as string };
}

const untilReason = async ({ ask }: Awaited<ReturnType<typeof prepare>>, reason: string) =>
  await vi.waitFor(async () => expect(await ask()).toMatchObject({ status: "pending", reason }), 60_000);
const text = { "content-type": "text/plain" };

describe("a proof of a website", () => {
  it("C5-18 is not taken from where the website redirects to", async () => {
    const listed = await prepare();
    site.answer = (request, response) => {
      if (request.url === "/code") response.writeHead(200, text).end(listed.code);
      else response.writeHead(302, { location: "/code" }).end();
    };
    start();
    await untilReason(listed, "too_many_redirects");
    expect(site.requests).toBeGreaterThan(0);
  });

  it("C5-18 is a line of its own within 4 kB of text", async () => {
    const bodies = [
      ["code_missing", (code: string) => `?q=${code}`, text],
      ["code_missing", (code: string) => code.slice(0, -1), text],
      ["too_large", (code: string) => `${code}\n${"x".repeat(4_096)}`, text],
      ["wrong_type", (code: string) => code, { "content-type": "text/html" }],
    ] as const;
    for (const [reason, toBody, headers] of bodies) {
      const listed = await prepare();
      site.answer = (_request, response) => void response.writeHead(200, headers).end(toBody(listed.code));
      start();
      await untilReason(listed, reason);
      await job!.stop();
      await fixture.database.db.api.query("delete from app.website_proofs");
    }
  });

  it("C5-18 causes no connection to a private address, also by rebinding, and asks for no internal name", async () => {
    const trap = await startTrap(site.server.port);
    try {
      const rebound = await prepare();
      let asked = 0;
      start([], async () => (asked++ % 2 === 0 ? ["127.0.0.1"] : [outside, "127.0.0.1"]));
      await untilReason(rebound, "address_refused");
      await job!.stop();
      const names = start();
      const inside = [
        "https://127.0.0.1/",
        "https://0x7f000001/",
        "https://[::1]/",
        "https://db.internal/",
        "https://localhost/",
      ];
      for (const website of inside) {
        const listed = await prepare(website);
        await vi.waitFor(async () => expect((await listed.ask()).reason).toMatch(/^(url|address)_refused$/), 60_000);
      }
      expect([trap.connections(), names.filter((name) => !name.includes("documents.example"))]).toEqual([0, []]);
    } finally {
      await trap.close();
    }
  });

  it("C5-18 of another listing, or of the website before, counts for nothing", async () => {
    const first = await prepare();
    const second = await prepare();
    site.answer = (_request, response) => void response.writeHead(200, text).end(first.code);
    start([first.code]);
    await vi.waitFor(async () => expect((await first.ask()).status).toBe("verified"), 60_000);
    await untilReason(second, "other_record");
    const isVerified = async () => (await send("GET", first.path)).body.verified.website;
    expect(await isVerified()).toBe(true);
    const change = { key: first.key, headers: { "if-match": "*" } };
    await send("PUT", first.path, { ...change, body: { ...bakery, website: "https://bank.example/" } });
    expect(await isVerified()).toBe(false);
    await send("PUT", first.path, { ...change, body: { ...bakery, website: site.server.url("/") } });
    expect(await isVerified()).toBe(false);
    expect((await first.ask()).code).not.toBe(first.code);
  });
});
