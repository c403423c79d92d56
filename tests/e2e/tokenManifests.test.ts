import {
  claimManifests,
  storeManifest,
  storeManifestError,
} from "@slipway/server/features/tokens/tokenManifestQueries";
import { getAddress } from "viem";
import { describe, expect, test, vi } from "vitest";
import { document, getCodes, type Handler, json, soon, useManifestService } from "../support/e2e/useManifestService.ts";

const stack = useManifestService();
const { pages, seen, requestsTo, get, launch, startJob, row, makeDue } = stack;

/** The API shows a stored document slightly later. */
const untilShown = (token: string, description: string) =>
  vi.waitFor(async () => expect((await get(`/tokens/${token}`)).body.description).toBe(description), soon);

describe("a launch whose document is elsewhere", () => {
  test("shows what the document says once the worker has fetched it; requests never fetch", async () => {
    pages.set("/boat.json", json(document));
    const token = await launch(stack.outsideUrl("/boat.json"), "Chain Name");
    const before = await get(`/tokens/${token}`);
    expect(before.body).toMatchObject({ name: "Chain Name", image_url: null, description: null, website: null });
    expect(getCodes(before.body)).not.toContain("foreign_metadata");
    const listBefore = await get("/tokens?q=chain%20name");
    expect(listBefore.body.total).toBe(1);
    expect(seen).toEqual([]);

    startJob();
    await vi.waitFor(async () => {
      expect((await get(`/tokens/${token}`)).body).toMatchObject({
        name: "Chain Name",
        image_url: document.image,
        description: document.description,
        website: document.external_link,
      });
    }, soon);
    const after = await get(`/tokens/${token}`);
    expect(getCodes(after.body)).toContain("foreign_metadata");
    expect(after.etag).not.toBe(before.etag);
    const listed = await get("/tokens?q=chain%20name");
    expect(listed.body.items).toMatchObject([{ address: getAddress(token), image_url: document.image }]);
    expect(listed.etag).not.toBe(listBefore.etag);
    // Search uses only the chain's name.
    expect((await get("/tokens?q=somebody%20else")).body.total).toBe(0);
    expect(requestsTo("/boat.json")).toBe(1);
  });

  test("is fetched again a day later, with validators: unchanged costs nothing, changed is shown", async () => {
    let current: Handler = json(document, { etag: '"one"', "last-modified": "Tue, 01 Jan 2030 00:00:00 GMT" });
    pages.set("/etag.json", (request, response) => {
      if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
      else current(request, response);
    });
    const token = await launch(stack.outsideUrl("/etag.json"));
    startJob();
    await untilShown(token, document.description);
    const first = await row(token);
    expect(first.next_at - first.fetched_at).toBe(24 * 3_600_000);
    const shown = await get(`/tokens/${token}`);

    await makeDue(token);
    await vi.waitFor(async () => expect((await row(token)).fetched_at).not.toEqual(first.fetched_at), soon);
    expect(seen.at(-1)!.headers).toMatchObject({
      "if-none-match": '"one"',
      "if-modified-since": "Tue, 01 Jan 2030 00:00:00 GMT",
    });
    expect((await row(token)).change).toBe(first.change);
    expect((await get(`/tokens/${token}`)).etag).toBe(shown.etag);

    current = json({ ...document, description: "Painted red." });
    await stack.deps().db.api.query("update app.token_manifests set etag = null where token = $1", [token]);
    await makeDue(token);
    await untilShown(token, "Painted red.");
    expect((await get(`/tokens/${token}`)).etag).not.toBe(shown.etag);
  });

  test("is asked for again while its server is down, with growing pauses and not for ever", async () => {
    pages.set("/down.json", (_request, response) => response.socket!.destroy());
    const token = await launch(stack.outsideUrl("/down.json"));
    startJob();
    await vi.waitFor(async () => expect((await row(token))?.error).toBe("unreachable"), soon);
    await vi.waitFor(async () => {
      expect((await get(`/tokens/${token}`)).body.warnings).toContainEqual({
        code: "metadata_unavailable",
        message: expect.stringContaining("unreachable"),
      });
    }, soon);
    const pauses: (number | null)[] = [];
    for (let attempt = 1; ; attempt++) {
      const { next_at, attempts, change } = await row(token);
      expect([attempts, requestsTo("/down.json")]).toEqual([attempt, attempt]);
      pauses.push(next_at && Math.round((next_at - Date.now()) / 60_000));
      if (next_at === null) break;
      await makeDue(token);
      // The end of each fetch is a separate change.
      await vi.waitFor(async () => expect((await row(token)).change).toBeGreaterThan(change), soon);
    }
    expect(pauses).toEqual([1, 5, 25, 125, 625, 1_440, 1_440, null]);

    // An operator can make it due again.
    pages.set("/down.json", json(document));
    await makeDue(token);
    await vi.waitFor(async () => {
      expect((await get(`/tokens/${token}`)).body.image_url).toBe(document.image);
    }, soon);
    expect(await row(token)).toMatchObject({ attempts: 0, error: null });
  });

  test("keeps what was fetched once while later fetches fail", async () => {
    pages.set("/kept.json", json(document));
    const token = await launch(stack.outsideUrl("/kept.json"));
    startJob();
    await untilShown(token, document.description);
    pages.set("/kept.json", (_request, response) => response.writeHead(503).end());
    await makeDue(token);
    await vi.waitFor(async () => expect((await row(token)).error).toBe("bad_status"), soon);
    const { body } = await get(`/tokens/${token}`);
    expect(body.description).toBe(document.description);
    expect(getCodes(body)).toContain("foreign_metadata");
    expect(getCodes(body)).not.toContain("metadata_unavailable");
  });
});

describe("an ipfs document", () => {
  const cid = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

  test("is left alone without a gateway, which the answer says, and fetched once there is one", async () => {
    pages.set(`/gateway/ipfs/${cid}/token.json`, json({ ...document, image: `ipfs://${cid}/boat.png` }));
    const token = await launch(`ipfs://${cid}/token.json`);
    const poor = startJob(stack.depsWithoutGateway());
    await vi.waitFor(async () => {
      expect((await get(`/tokens/${token}`)).body.warnings).toContainEqual({
        code: "metadata_unavailable",
        message: expect.stringContaining("no_ipfs_gateway"),
      });
    }, soon);
    expect(await row(token)).toMatchObject({ attempts: 0, next_at: null });
    await poor.stop();
    expect(seen).toEqual([]);

    startJob();
    await vi.waitFor(async () => {
      expect((await get(`/tokens/${token}`)).body.image_url).toBe(`ipfs://${cid}/boat.png`);
    }, soon);
    // The contents of an IPFS document cannot change.
    expect((await row(token)).next_at).toBeNull();
  });
});

describe("several workers", () => {
  test("fetch each document once", async () => {
    const paths = Array.from({ length: 9 }, (_, i) => `/shared/${i}.json`);
    for (const path of paths) {
      pages.set(path, (request, response) => {
        setTimeout(() => json(document)(request, response), 50);
      });
    }
    const tokens: string[] = [];
    for (const path of paths) tokens.push(await launch(stack.outsideUrl(path)));
    for (let worker = 0; worker < 3; worker++) startJob();
    await vi.waitFor(async () => {
      for (const token of tokens) expect((await row(token))?.sha256).toBeTruthy();
    }, soon);
    expect(paths.map(requestsTo)).toEqual(paths.map(() => 1));
  });

  test("give a fetch back when they are stopped, and another one takes it", async () => {
    let begun = 0;
    pages.set("/slow.json", (request, response) => {
      if (++begun > 1) json(document)(request, response);
    });
    const token = await launch(stack.outsideUrl("/slow.json"));
    const job = startJob();
    await vi.waitFor(() => expect(begun).toBe(1), soon);
    await job.stop();
    const returned = await row(token);
    expect(returned.attempts).toBe(0);
    expect(returned.next_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    startJob();
    await vi.waitFor(async () => expect((await row(token)).sha256).toBeTruthy(), soon);
  });

  test("take over from one that died, whose late result is not stored", async () => {
    const { api } = stack.deps().db;
    pages.set("/died.json", json(document));
    const token = await launch(stack.outsideUrl("/died.json"));
    await api.query("insert into app.token_manifests (token, uri) values ($1, $2)", [
      token,
      stack.outsideUrl("/died.json"),
    ]);
    const dead = (await claimManifests(api, 100, 0)).find((claim) => claim.token === token)!;
    expect(dead.attempt).toBe(1);
    startJob();
    await vi.waitFor(async () => expect((await row(token)).sha256).toBeTruthy(), soon);
    const stored = await row(token);
    const late = { description: "late", image: null, website: null };
    await storeManifest(api, dead, { document: late, sha256: Buffer.alloc(32), etag: null, lastModified: null }, null);
    await storeManifestError(api, dead, "unreachable", null);
    expect(await row(token)).toEqual(stored);
  });
});
