import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startUntrustedServer, type UntrustedServer } from "../../../../../tests/support/security/untrustedServer.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { clear } from "../../../../../tests/support/server/rows.ts";
import type { Job } from "../../job.ts";
import { createUntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { systemClock } from "../../systemClock.ts";
import { readListingFeeds } from "./readListingFeeds.ts";

/** 127.0.0.2 represents the public internet. */
const outside = "127.0.0.2";
let database: ReadDatabase;
let server: UntrustedServer;
let read: ReadApp;
let job: Job | null = null;
/** The partner's response; requests are counted. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[] = [];

beforeAll(async () => {
  database = await startReadDatabase();
  server = await startUntrustedServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
});
afterAll(async () => {
  await Promise.all([server?.close(), database?.stop()]);
});
beforeEach(async () => {
  await clear(database.db);
  requests = [];
});
afterEach(async () => {
  await job?.stop();
  await read?.app.close();
});

const sendJson = (body: unknown, headers: Record<string, string> = {}) => {
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
};

/** Starts the job with one feed. */
async function start(format = "json-feed", settings: Record<string, string> = {}): Promise<void> {
  read = await createReadApp(database.db, {
    ...{
      PARTNER_A_URL: server.url("/feed"),
      PARTNER_A_FORMAT: format,
      PARTNER_A_NAME: "Partner",
      PARTNER_POLL_MS: "20",
    },
    ...settings,
  });
  const untrustedFetch = createUntrustedFetch({
    clock: systemClock,
    ca: server.ca,
    resolve: async () => [outside],
    addressPolicy: (target) => target.address === outside,
  });
  job = readListingFeeds(read.deps, untrustedFetch);
}

const getDirectory = async () => (await read.get("/directory")).json;
const getSource = async () => (await getDirectory()).sources[1];
const getNames = async () => (await getDirectory()).items.map(({ name }: { name: string }) => name);
const untilNames = async (names: string[]) =>
  await vi.waitFor(async () => expect((await getNames()).sort()).toEqual([...names].sort()), 60_000);
const untilError = async (code: string | null) =>
  await vi.waitFor(async () => expect((await getSource()).error).toBe(code), 60_000);
/** Waits for `times` further requests: after two requests, a whole reading has taken place. */
const untilReadAgain = async (times = 2) => {
  const before = requests.length;
  await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(before + times), 60_000);
};

const items = (...names: string[]) => ({ name: "The list", items: names.map((name) => ({ id: name, name })) });

describe("the job that reads feeds of listings", () => {
  test("lists the entries of a feed, changes them and removes missing ones", async () => {
    sendJson({
      ...{ name: "The list", licence: "CC-BY-4.0" },
      items: [
        {
          ...{ id: "42/7", name: "Tin Boat Bakery", description: "Bread.\nDaily.", category: "food-drink" },
          ...{ website: "https://tin.example", url: "https://list.example/42", tags: ["Fresh Bread"], hours: "9-17" },
          ...{ email: "a@tin.example", phone: "+49 30 1234", location: { lat: "52.5", lon: 13.4 } },
          address: { city: "Berlin", country: "de" },
          links: { x: "https://x.com/tin", github: "https://elsewhere.example/tin" },
        },
        { id: 7, name: "Second" },
      ],
    });
    await start();
    await untilNames(["Tin Boat Bakery", "Second"]);
    // The reading ends after its listings are stored. With this interval a source becomes stale after 60 ms.
    await vi.waitFor(async () => expect(await getSource()).toMatchObject({ stale: false, error: null }), 60_000);
    const listed = await read.get(`/businesses/${encodeURIComponent("partner_a:42/7")}`);
    expect([listed.status, listed.json]).toMatchObject([
      200,
      {
        ...{
          id: "partner_a:42/7",
          source: "partner_a",
          kind: "business",
          category: "food-drink",
          tags: ["fresh-bread"],
        },
        ...{ website: "https://tin.example/", location: { lat: 52.5, lon: 13.4 }, links: { x: "https://x.com/tin" } },
        contact: { email: "a@tin.example", phone: "+49301234", hours: "9-17" },
        address: { city: "Berlin", country: "DE", street: null },
        attribution: { source_name: "The list", url: "https://list.example/42", licence: "CC-BY-4.0" },
        verified: { website: false, owner: false, links: { x: false } },
      },
    ]);
    expect(listed.json.attribution.fetched_at).not.toBeNull();
    expect((await getSource()).count).toBe(2);
    sendJson(items("Second", "Third"));
    await untilNames(["Second", "Third"]);
    expect((await read.get("/businesses/partner_a%3A7")).status).toBe(404);
  });

  test("reads pages of one origin, and sends a conditional request if there is one page", async () => {
    answer = (request, response) => {
      const page = Number(new URL(request.url!, "https://x").searchParams.get("page") ?? 1);
      const body = { items: [{ id: page, name: `Page ${page}` }], next: page < 3 ? `/feed?page=${page + 1}` : null };
      response.writeHead(200, { "content-type": "application/json", etag: '"pages"' }).end(JSON.stringify(body));
    };
    await start();
    await untilNames(["Page 1", "Page 2", "Page 3"]);
    await untilReadAgain(4);
    expect(requests.every(({ headers }) => headers["if-none-match"] === undefined)).toBe(true);
    answer = (request, response) => {
      if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
      else
        response
          .writeHead(200, { "content-type": "application/json", etag: '"one"' })
          .end(JSON.stringify(items("A", "B")));
    };
    await untilNames(["A", "B"]);
    await vi.waitFor(() => expect(requests.at(-1)!.headers["if-none-match"]).toBe('"one"'), 60_000);
    sendJson({ items: [{ id: 1, name: "Other" }], next: "https://elsewhere.example/feed" });
    await untilError("foreign_page");
    expect(await getNames()).toHaveLength(2);
  });

  test("holds back a feed that shrinks by more than half, until the third reading", async () => {
    sendJson(items("A", "B", "C", "D", "E"));
    await start();
    await untilNames(["A", "B", "C", "D", "E"]);
    let shrunk = 0;
    answer = (_request, response) => {
      shrunk++;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(items("A", "B")));
    };
    await untilNames(["A", "B"]);
    expect(shrunk).toBeGreaterThanOrEqual(3);
    const { rows } = await database.db.api.query("select shrunk from app.listing_sources where source = 'partner_a'");
    expect(rows).toEqual([{ shrunk: 0 }]);
    const text = await read.deps.metrics.registry.metrics();
    expect(text).toContain('slipway_listing_feeds_total{source="partner_a",outcome="held_back"} 2');
  });

  test("keeps the listings of a failing feed, and reports the failure's code and a stale source", async () => {
    sendJson(items("A"));
    await start();
    await untilNames(["A"]);
    const failures: [string, (response: ServerResponse) => void][] = [
      ["bad_status", (response) => response.writeHead(500).end()],
      ["not_json", (response) => response.writeHead(200, { "content-type": "application/json" }).end("{")],
      ["wrong_format", (response) => response.writeHead(200, { "content-type": "application/json" }).end("[]")],
      ["wrong_type", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
      ["unreachable", (response) => response.destroy()],
    ];
    for (const [code, fail] of failures) {
      answer = (_request, response) => fail(response);
      await untilError(code);
    }
    await vi.waitFor(async () => expect((await getSource()).stale).toBe(true), 60_000);
    expect(await getNames()).toEqual(["A"]);
    expect(JSON.stringify(await getDirectory())).not.toContain("documents.example");
    const text = await read.deps.metrics.registry.metrics();
    expect(text).toContain('slipway_listing_feed_stale{source="partner_a"} 1');
    sendJson(items("A", "B"));
    await untilNames(["A", "B"]);
    await untilError(null);
  });

  test("skips invalid entries and counts them", async () => {
    const bad = [
      null,
      7,
      [],
      {},
      { id: "x" },
      { id: "a b", name: "Space" },
      { id: "e", name: "\u202e" },
      { id: "A", name: "Again" },
    ];
    sendJson({ items: [{ id: "A", name: "A" }, ...bad, { id: "B", name: "B", category: 7, website: {}, tags: [{}] }] });
    await start();
    await untilNames(["A", "B"]);
    await vi.waitFor(async () => {
      expect(await read.deps.metrics.registry.metrics()).toContain(
        `slipway_listing_feed_skipped_entries{source="partner_a"} ${bad.length}`,
      );
    }, 30_000);
  });

  test("removes the listings of a source that is no longer configured", async () => {
    sendJson(items("A"));
    await start();
    await untilNames(["A"]);
    await job!.stop();
    await read.app.close();
    await start("json-feed", { PARTNER_A_URL: "", PARTNER_A_FORMAT: "", PARTNER_A_NAME: "" });
    await untilNames([]);
    const removed = { source: "partner_a", count: 0, updated_at: null, stale: false, error: null };
    await expect.poll(getSource).toEqual(removed);
  });

  test("keeps a blocked listing blocked when it disappears and comes back", async () => {
    sendJson(items("A", "B"));
    await start();
    await untilNames(["A", "B"]);
    await database.db.api.query("update app.listings set blocked_at = now() where id = 'partner_a:A'");
    sendJson(items("B"));
    await untilReadAgain();
    sendJson(items("A", "B", "C"));
    await untilNames(["B", "C"]);
  });

  test("reads organizations of schema.org", async () => {
    sendJson({
      "@context": "https://schema.org",
      "@graph": [
        {
          ...{
            "@type": ["Bakery", "LocalBusiness"],
            "@id": "https://tin.example/#us",
            name: "Tin",
            url: "https://tin.example",
          },
          address: { "@type": "PostalAddress", addressLocality: "Berlin", addressCountry: { name: "DE" } },
          geo: { latitude: "52.5", longitude: "13.4" },
          ...{
            telephone: "+49 (30) 123",
            openingHours: ["Mo 9-17", "Tu 9-17"],
            image: [{ url: "https://tin.example/a.png" }],
          },
          sameAs: ["https://x.com/tin", "https://www.instagram.com/tin"],
        },
        { "@type": "WebSite", "@id": "x", name: "No organization" },
        { "@type": "BookStore", "@id": "books", name: "Books" },
      ],
    });
    await start("schema-org");
    await untilNames(["Tin", "Books"]);
    const { json } = await read.get("/businesses?q=tin");
    expect(json.items[0]).toMatchObject({
      ...{
        category: "food-drink",
        location: { lat: 52.5, lon: 13.4 },
        contact: { phone: "+4930123", hours: "Mo 9-17\nTu 9-17" },
      },
      links: { x: "https://x.com/tin", instagram: "https://www.instagram.com/tin" },
      image: { uri: "https://tin.example/a.png" },
      attribution: { source_name: "Partner" },
    });
    expect((await read.get("/businesses?category=retail")).json.items[0].name).toBe("Books");
  });

  test("reads tokens of a token list", async () => {
    const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    sendJson({
      name: "Tokens",
      tokens: [
        { chainId: 1, address, name: "Tin", symbol: "TIN", decimals: 6, logoURI: "ipfs://bafy" },
        { chainId: 1, address: "0x12", name: "Bad", symbol: "B", decimals: 18 },
        { chainId: "1", address, name: "Bad", symbol: "B", decimals: 18 },
      ],
    });
    await start("token-list");
    await untilNames(["Tin"]);
    expect((await read.get("/businesses?kind=token")).json.items[0]).toMatchObject({
      ...{ id: `partner_a:1:${address.toLowerCase()}`, kind: "token", category: "token" },
      token: { chain_id: 1, address, symbol: "TIN", decimals: 6 },
    });
  });
});
