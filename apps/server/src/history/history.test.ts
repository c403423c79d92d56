import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import {
  headTime,
  insertAccount,
  insertCandle,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import { type EngineRow, encodeRows } from "./engine/table.ts";
import { candlesTable, tradesTable } from "./engine/tables.ts";

const fixture = useReadApp();
const old = toAddress(1_001);
const recent = toAddress(1_002);
const detachedTime = headTime - 90_000;

/** The answers of a server that speaks ClickHouse's protocol, and is not to be trusted. */
let server: Server | undefined;
let rows: { trades: EngineRow[]; candles: EngineRow[] };
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function startEngine(): Promise<string> {
  rows = { trades: [], candles: [] };
  const answer = (statement: string): Buffer => {
    if (statement.includes("version()")) return Buffer.from([24, 0, 0, 0]);
    const table = statement.includes("candles_") ? candlesTable : tradesTable;
    return statement.includes("order by") ? encodeRows(table, rows[table.name]) : Buffer.alloc(0);
  };
  server = createServer((request, response) => {
    void readText(request).then((statement) => response.end(answer(statement)));
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/slipway`;
}

/** An index whose token 1 has lost its trades up to block 150. Token 2 was launched later. */
async function openApp(url: string | null): Promise<ReadApp> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  await insertToken(db, 2, { block_number: 160 });
  await insertAccount(db, 1);
  await insertAccount(db, 2);
  for (const block of [200, 201, 202]) await insertTrade(db, 1, block);
  await insertTrade(db, 2, 203);
  await insertCandle(db, 1, 60, headTime - 120);
  // Is left from before: the engine has this candle.
  await insertCandle(db, 1, 60, headTime - 90_060);
  await db.indexer.query(
    "insert into chain.history (generation, copied_block, copied_time, detached_block, detached_time) values ('00112233aabb', 150, $1, 150, $2)",
    [headTime, detachedTime],
  );
  return await createReadApp(db, url === null ? {} : { HISTORY_URL: url, HISTORY_TIMEOUT_MS: "60000" });
}

const trade = (block: number, change: EngineRow = {}): EngineRow => ({
  ...{ token_id: 1, block_number: block, log_index: 1, block_time: detachedTime - 1_000 + block, pool_price: 0.25 },
  ...{ eth_usd: 2_000, maker_id: 1, recipient_id: 2, account_id: 0, account_source: 0, is_buy: 1 },
  ...{ tx_hash: toHash(block), token_amount: (2n * 10n ** 18n).toString(), quote_amount: "5", version: 1, ...change },
});
const candle = (t: number, change: EngineRow = {}): EngineRow => ({
  ...{ token_id: 1, seconds: 60, t, o: 1, h: 1, l: 1, c: 1, o_usd: 1, h_usd: 1, l_usd: 1, c_usd: 1, n: 7, buys: 1 },
  ...{ vq: "5", v: "5", version: 1, ...change },
});
const blocks = (json: any) => json.items.map(({ block_number }: any) => block_number);

describe("C2-99 while the history engine does not answer", () => {
  test.each([
    ["is not configured", null],
    ["cannot be reached", "http://127.0.0.1:1/slipway"],
  ])("because it %s, recent trades and candles are answered, and old ones are 503", async (_, url) => {
    const { get } = await openApp(url);
    expect(blocks((await get(`/tokens/${old}/trades?limit=3`)).json)).toEqual([202, 201, 200]);
    expect((await get(`/tokens/${old}/trades?side=buy&limit=2`)).status).toBe(200);
    expect((await get(`/tokens/${old}/candles?interval=1m&limit=1`)).status).toBe(503);
    expect(blocks((await get(`/tokens/${recent}/trades`)).json)).toEqual([203]);
    expect((await get(`/tokens/${recent}/candles?interval=1m`)).status).toBe(200);
    for (const path of ["/trades", "/trades?side=buy", "/candles?interval=1m", ""]) {
      const { status, json } = await get(`/tokens/${old}${path}`);
      expect([path, status, json.error.code]).toEqual([path, 503, "history_unavailable"]);
    }
  });

  test("the process is ready, and readiness and metrics name the engine", async () => {
    const { get } = await openApp("http://127.0.0.1:1/slipway");
    const { json } = await get("/readyz");
    expect(json.history).toEqual({ available: false, configured: true, reason: "The history engine does not answer." });
    expect(json.checks.database.ok).toBe(true);
    await get(`/tokens/${old}/trades`);
    const text = (await get("/metrics")).body.toString();
    expect(text).toMatch(/^slipway_history_up 0$/m);
    expect(text).toMatch(/^slipway_history_reads_total\{outcome="failed"\} 1$/m);
  });
});

describe("the history", () => {
  test("continues the trades and candles of PostgreSQL with rows of the engine", async () => {
    const { get } = await openApp(await startEngine());
    rows = { trades: [trade(150), trade(149)], candles: [candle(headTime - 90_060)] };
    const { json } = await get(`/tokens/${old}/trades`);
    expect(blocks(json)).toEqual([202, 201, 200, 150, 149]);
    expect(json.items[3]).toMatchObject({ maker: toAddress(1), account: toAddress(1), account_source: "sender" });
    expect((await get(`/tokens/${old}`)).json.trades).toHaveLength(5);
    const candles = (await get(`/tokens/${old}/candles?interval=1m`)).json.items;
    expect(candles.map(({ t, n }: any) => [t, n])).toEqual([
      [headTime - 90_060, 7],
      [headTime - 120, 3],
    ]);
    expect((await get("/readyz")).json.history).toEqual({ available: true, configured: true, reason: null });
  });

  test.each<[string, EngineRow[]]>([
    ["of another token", [trade(150, { token_id: 2 })]],
    ["above the watermark", [trade(151)]],
    ["in ascending order", [trade(149), trade(150)]],
    ["of the other side", [trade(150, { is_buy: 0 })]],
    ["of an unknown account", [trade(150, { maker_id: 99 })]],
    ["with an unknown source", [trade(150, { account_source: 4 })]],
    ["that were not requested", Array.from({ length: 60 }, (_, n) => trade(150 - n))],
  ])("C2-97 refuses trades of the engine %s", async (_, trades) => {
    const { get } = await openApp(await startEngine());
    rows.trades = trades;
    const { status, json } = await get(`/tokens/${old}/trades?side=buy`);
    expect([status, json.error.code]).toEqual([503, "history_unavailable"]);
    expect((await get("/metrics")).body.toString()).toMatch(/outcome="invalid"\} 1$/m);
  });

  test.each<[string, EngineRow[]]>([
    ["of another interval", [candle(headTime - 90_060, { seconds: 300 })]],
    ["of another token", [candle(headTime - 90_060, { token_id: 2 })]],
    ["after the watermark", [candle(headTime - 120)]],
    ["between two intervals", [candle(headTime - 90_061)]],
  ])("C2-97 refuses candles of the engine %s", async (_, candles) => {
    const { get } = await openApp(await startEngine());
    rows.candles = candles;
    expect((await get(`/tokens/${old}/candles?interval=1m`)).json.error.code).toBe("history_unavailable");
  });
});

describe("chain.record_detached", () => {
  const record = async (block: number, time: number) => {
    const { indexer } = fixture.database.db;
    const { rows } = await indexer.query("select chain.record_detached($1, $2) as is_recorded", [block, time]);
    const state = await indexer.query(
      "select detached_block::float8 as block, detached_time::float8 as time from chain.history",
    );
    return [rows[0].is_recorded, state.rows[0] ?? null];
  };

  test("records nothing without an engine, and refuses rows that the engine lacks", async () => {
    expect(await record(10, 1_000)).toEqual([true, null]);
    await fixture.database.db.indexer.query(
      "insert into chain.history (generation, copied_block, copied_time) values ('00112233aabb', 100, 100000)",
    );
    const none = { block: 0, time: 0 };
    expect(await record(101, 1_000)).toEqual([false, none]);
    // A candle of a day that begins with these trades is not complete in the engine.
    expect(await record(100, 13_601)).toEqual([false, none]);
    expect(await record(100, 13_600)).toEqual([true, { block: 100, time: 13_600 }]);
    expect(await record(50, 500)).toEqual([true, { block: 100, time: 13_600 }]);
  });
});
