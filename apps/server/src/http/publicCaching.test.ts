import { describe, expect, test } from "vitest";
import {
  toAddress,
  headTime,
  insert,
  insertAccount,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
  insertTrade,
} from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";

const world = useReadApp();
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

async function insertWorld(): Promise<void> {
  const { db } = world.database;
  await insertIndex(db);
  await insertEthUsd(db, 2_000);
  await insertToken(db, 1);
  await insertToken(db, 2);
  await insertAccount(db, 1);
  await insertAccount(db, 2);
}

/** An outbox row as the indexer writes it, and time for the read model to look. */
async function tell(kind: string, about: string | null, payload: object): Promise<void> {
  await insert(world.database.db, "chain.outbox", {
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
  test("may be cached for ten seconds by anybody and varies by no cookie", async () => {
    await insertWorld();
    const plain = await world.read.get(path);
    expect(plain.status).toBe(200);
    expect(plain.headers["cache-control"]).toBe("public, max-age=10");
    expect(plain.headers["access-control-allow-origin"]).toBe("*");
    expect(plain.headers["set-cookie"]).toBeUndefined();
    expect(plain.headers.etag).toMatch(/^"[\w-]{20,}"$/);
    const withCookie = await world.read.get(path, {
      cookie: "slipway.session_token=x",
      authorization: "Bearer nonsense",
    });
    expect(withCookie.body.equals(plain.body)).toBe(true);
    expect(withCookie.headers.etag).toBe(plain.headers.etag);
  });

  test("answers 304 without a body to who has it", async () => {
    await insertWorld();
    const { headers } = await world.read.get(path);
    for (const tag of [headers.etag, `W/${headers.etag}`, `"other", ${headers.etag}`, "*"]) {
      const again = await world.read.get(path, { "if-none-match": tag });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers.etag).toBe(headers.etag);
      expect(again.headers["cache-control"]).toBe("public, max-age=10");
    }
    expect((await world.read.get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });
});

describe("the read model", () => {
  const tagOf = async (path: string) => (await world.read.get(path)).headers.etag;

  test("keeps an answer until the outbox says that it changed", async () => {
    await insertWorld();
    const { db } = world.database;
    const path = `/tokens/${token}/trades`;
    const before = await tagOf(path);
    await insertTrade(db, 1, 300);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await tagOf(path)).toBe(before);
    await tell("trade", token, {});
    expect(await tagOf(path)).not.toBe(before);
  });

  test("builds anew only what changed", async () => {
    await insertWorld();
    const { db } = world.database;
    const [mine, others] = [`/tokens/${token}/candles`, `/tokens/${other}/candles`];
    const before = [await tagOf(mine), await tagOf(others)];
    for (const id of [1, 2]) await insertCandle(db, id, 3_600, headTime - (headTime % 3_600));
    await tell("candle", token, {});
    expect(await tagOf(mine)).not.toBe(before[0]);
    expect(await tagOf(others)).toBe(before[1]);
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
  ])("hears of a change by %s", async (kind, about, payload, path) => {
    await insertWorld();
    const before = await tagOf(path);
    await world.database.db.indexer.query("update chain.token_state set holders = 77");
    await tell(kind, about, payload);
    expect(await tagOf(path)).not.toBe(before);
  });

  test("C2-03 answers 404 for a launch that was reorganised away", async () => {
    await insertWorld();
    expect((await world.read.get(`/tokens/${token}`)).status).toBe(200);
    await world.database.db.indexer.query("delete from chain.tokens where address = $1", [token]);
    await tell("retracted", null, { above_block: 1, trades: [], launches: [token], tokens: [token] });
    expect((await world.read.get(`/tokens/${token}`)).status).toBe(404);
  });

  test("ages a token's windows when the head's minute passes, without any trade", async () => {
    await insertWorld();
    const { db } = world.database;
    await insertCandle(db, 1, 60, headTime - 240);
    const m5 = async () => (await world.read.get(`/tokens/${token}`)).json.windows.m5.buys;
    expect(await m5()).toBe(2);
    await db.indexer.query("update chain.checkpoint set block_time = block_time + 60, block_number = block_number + 1");
    await db.indexer.query("update chain.status set head_time = head_time + 60, head_block = head_block + 1");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await m5()).toBe(0);
  });

  test("begins anew over an outbox that is younger than its cursor", async () => {
    await insertWorld();
    await tell("trade", token, {});
    const before = await tagOf("/tokens");
    await world.database.db.indexer.query("delete from chain.outbox");
    await world.database.db.indexer.query("update chain.token_state set holders = 5");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await tagOf("/tokens")).not.toBe(before);
  });
});
