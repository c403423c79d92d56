import { describe, expect, test } from "vitest";
import {
  headTime,
  insert,
  insertAccount,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
} from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const other = toAddress(1_002);

const cacheable = [
  "/tokens",
  `/tokens/${token}`,
  `/tokens/${token}/trades`,
  `/tokens/${token}/candles`,
  "/analytics",
  "/config",
  `/qr.png?text=${token}`,
];

async function insertRows(): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertEthUsd(db, 2_000);
  await insertToken(db, 1);
  await insertToken(db, 2);
  await insertAccount(db, 1);
  await insertAccount(db, 2);
}

/** Inserts an outbox row as the indexer does, and waits for the read model to poll. */
async function publish(kind: string, about: string | null, payload: object): Promise<void> {
  await insert(fixture.database.db, "chain.outbox", {
    ...{
      id: Math.floor(Math.random() * 1e9),
      block_number: 5_000,
      kind,
      token: about,
      payload: JSON.stringify(payload),
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
}

describe.each(cacheable)("GET %s", (path) => {
  test("may be cached for ten seconds by any cache and varies by no cookie", async () => {
    await insertRows();
    const plain = await fixture.read.get(path);
    expect(plain.status).toBe(200);
    expect(plain.headers["cache-control"]).toBe("public, max-age=10");
    expect(plain.headers["access-control-allow-origin"]).toBe("*");
    expect(plain.headers["set-cookie"]).toBeUndefined();
    expect(plain.headers.etag).toMatch(/^"[\w-]{20,}"$/);
    const withCookie = await fixture.read.get(path, {
      cookie: "slipway.session_token=x",
      authorization: "Bearer nonsense",
    });
    expect(withCookie.body.equals(plain.body)).toBe(true);
    expect(withCookie.headers.etag).toBe(plain.headers.etag);
  });

  test("responds 304 without a body to a client that has the body", async () => {
    await insertRows();
    const { headers } = await fixture.read.get(path);
    for (const tag of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, "*"]) {
      const again = await fixture.read.get(path, { "if-none-match": tag });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers.etag).toBe(headers.etag);
      expect(again.headers["cache-control"]).toBe("public, max-age=10");
    }
    expect((await fixture.read.get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });
});

describe("the read model", () => {
  const getEtag = async (path: string) => (await fixture.read.get(path)).headers.etag;

  test("caches a response until an outbox event changes it", async () => {
    await insertRows();
    const { db } = fixture.database;
    const path = `/tokens/${token}/trades`;
    const before = await getEtag(path);
    await insertTrade(db, 1, 300);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await getEtag(path)).toBe(before);
    await publish("trade", token, {});
    expect(await getEtag(path)).not.toBe(before);
  });

  test("rebuilds only what changed", async () => {
    await insertRows();
    const { db } = fixture.database;
    const [mine, others] = [`/tokens/${token}/candles`, `/tokens/${other}/candles`];
    const before = [await getEtag(mine), await getEtag(others)];
    for (const id of [1, 2]) await insertCandle(db, id, 3_600, headTime - (headTime % 3_600));
    await publish("candle", token, {});
    expect(await getEtag(mine)).not.toBe(before[0]);
    expect(await getEtag(others)).toBe(before[1]);
  });

  test.each([
    ["launch", token, {}, "/tokens"],
    ["trade", token, {}, "/tokens"],
    ["state", null, { tokens: [token] }, "/tokens"],
    ["state", null, { tokens: [token] }, `/tokens/${token}`],
    ["eth_usd", null, { price: 1 }, "/tokens"],
    ["eth_usd", null, { price: 1 }, `/tokens/${token}`],
    ["retracted", null, { above_block: 1, trades: [], launches: [token], tokens: [] }, `/tokens/${token}`],
    ["retracted", null, { above_block: 1, trades: [], launches: [], tokens: [token] }, "/tokens"],
    ["batch", null, { from_block: 1, to_block: 2 }, `/tokens/${token}`],
    ["something new", null, {}, `/tokens/${token}`],
  ])("applies a change by %s", async (kind, about, payload, path) => {
    await insertRows();
    const before = await getEtag(path);
    await fixture.database.db.indexer.query("update chain.token_state set holders = 77");
    await publish(kind, about, payload);
    expect(await getEtag(path)).not.toBe(before);
  });

  test("C2-03 responds 404 for a launch that a reorg removed", async () => {
    await insertRows();
    expect((await fixture.read.get(`/tokens/${token}`)).status).toBe(200);
    await fixture.database.db.indexer.query("delete from chain.tokens where address = $1", [token]);
    await publish("retracted", null, { above_block: 1, trades: [], launches: [token], tokens: [token] });
    expect((await fixture.read.get(`/tokens/${token}`)).status).toBe(404);
  });

  test("updates a token's windows when the head's minute passes, without a trade", async () => {
    await insertRows();
    const { db } = fixture.database;
    await insertCandle(db, 1, 60, headTime - 240);
    const m5 = async () => (await fixture.read.get(`/tokens/${token}`)).json.windows.m5.buys;
    expect(await m5()).toBe(2);
    await db.indexer.query("update chain.checkpoint set block_time = block_time + 60, block_number = block_number + 1");
    await db.indexer.query("update chain.status set head_time = head_time + 60, head_block = head_block + 1");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await m5()).toBe(0);
  });

  test("starts again when the outbox is newer than its cursor", async () => {
    await insertRows();
    await publish("trade", token, {});
    const before = await getEtag("/tokens");
    await fixture.database.db.indexer.query("delete from chain.outbox");
    await fixture.database.db.indexer.query("update chain.token_state set holders = 5");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await getEtag("/tokens")).not.toBe(before);
  });
});

test("C4-12 an error below the files of the reference page is not cached", async () => {
  const { app } = fixture.read;
  for (const [method, url, status] of [
    ["GET", "/docs/js/nothing.js", 404],
    ["POST", "/docs/js/nothing.js", 404],
    ["GET", "/docs/js/nothing.js?api_key=x", 400],
  ] as const) {
    const { statusCode, headers } = await app.inject({ method, url });
    expect([statusCode, headers["cache-control"]], `${method} ${url}`).toEqual([status, "no-store"]);
  }
  const { body } = await app.inject({ method: "GET", url: "/docs/" });
  const script = /src="([^"]*js\/[^"]*)"/.exec(body)?.[1];
  const { statusCode, headers } = await app.inject({ method: "GET", url: new URL(script!, "http://x/docs/").pathname });
  expect([statusCode, headers["cache-control"]]).toEqual([200, "public, max-age=86400"]);
});
