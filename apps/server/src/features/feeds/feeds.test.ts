import { beforeEach, describe, expect, test } from "vitest";
import { explainStatements, rowsRead } from "../../../../../bench/queryPlan.ts";
import {
  headBlock,
  headTime,
  insert,
  insertAccount,
  insertCandle,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import { readEvents } from "./eventQueries.ts";
import { getPriceScale } from "./udfRoutes.ts";

const fixture = useReadApp();

/** The newest block that no reorganisation takes back. */
const finalBlock = headBlock - 100;
const finalTime = headTime - 120;

beforeEach(async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertHeader(finalBlock, finalTime, 1);
  await insertHeader(headBlock, headTime, 2);
  await insertAccount(db, 1, toAddress(0xabc));
  await insertAccount(db, 2);
});

const insertHeader = (block_number: number, block_time: number, batch_id: number) =>
  insert(fixture.database.db, "chain.headers", {
    block_number,
    block_time,
    batch_id,
    block_hash: toHash(block_number),
    is_batch_end: true,
  });

const insertChange = (tokenId: number, block: number, change: Record<string, unknown> = {}) =>
  insert(fixture.database.db, "chain.pool_changes", {
    token_id: tokenId,
    block_number: block,
    block_time: headTime - 500,
    log_index: 0,
    tx_index: 4,
    maker_id: 1,
    kind: "mint",
    tx_hash: Buffer.alloc(32, 7),
    token_amount: (10n ** 27n).toString(),
    quote_amount: "0",
    reserve_token: (10n ** 27n).toString(),
    reserve_quote: "0",
    ...change,
  });

async function request(url: string, headers: Record<string, string> = {}) {
  const answer = await fixture.read.app.inject({ method: "GET", url, headers });
  const isJson = String(answer.headers["content-type"]).startsWith("application/json");
  return { status: answer.statusCode, body: isJson ? answer.json() : answer.body, headers: answer.headers };
}

describe.each(["dexscreener", "geckoterminal"])("the feed %s", (feed) => {
  const get = async (path: string) => await request(`/feeds/${feed}${path}`);

  test("ends at the oldest block that the indexer can undo, for every origin", async () => {
    const { status, body, headers } = await get("/latest-block");
    expect([status, body]).toEqual([200, { block: { blockNumber: finalBlock, blockTimestamp: finalTime } }]);
    expect(headers).toMatchObject({ "access-control-allow-origin": "*", "cache-control": "public, max-age=10" });
    const again = await request(`/feeds/${feed}/latest-block`, { "if-none-match": String(headers.etag) });
    expect(again.status).toBe(304);
  });

  test("has swaps and changes of liquidity with exact decimals and the reserves after each", async () => {
    const { db } = fixture.database;
    const token = await insertToken(db, 1, { block_number: 200 });
    await insertChange(1, 200);
    await insertTrade(db, 1, 201, { block_time: headTime - 400, tx_index: 5 });
    await insertTrade(db, 1, 201, { block_time: headTime - 400, tx_index: 6, log_index: 9, is_buy: false });
    await insertChange(1, 202, { kind: "collect", reserve_token: "5", reserve_quote: "7", maker_id: null });
    await insertChange(1, 203, {
      kind: "burn",
      token_amount: "1",
      quote_amount: "2",
      reserve_token: "5",
      reserve_quote: "7",
    });
    const { body } = await get(`/events?fromBlock=200&toBlock=${finalBlock}`);
    const shared = { maker: toChecksumAddress(toAddress(0xabc)), pairId: toChecksumAddress(toAddress(2_001)) };
    expect(body.events).toEqual([
      {
        block: { blockNumber: 200, blockTimestamp: headTime - 500 },
        eventType: "join",
        txnId: `0x${"07".repeat(32)}`,
        txnIndex: 4,
        eventIndex: 0,
        ...shared,
        amount0: "1000000000",
        amount1: "0",
        reserves: { asset0: "1000000000", asset1: "0" },
      },
      {
        block: { blockNumber: 201, blockTimestamp: headTime - 400 },
        eventType: "swap",
        txnId: toHash(201),
        txnIndex: 5,
        eventIndex: 1,
        ...shared,
        asset1In: "0.5",
        asset0Out: "2",
        priceNative: "0.25",
        reserves: { asset0: "999999998", asset1: "0.5" },
      },
      expect.objectContaining({ asset0In: "2", asset1Out: "0.5", reserves: { asset0: "1000000000", asset1: "0" } }),
      expect.objectContaining({ eventType: "exit", amount0: "0.000000000000000001", amount1: "0.000000000000000002" }),
    ]);
    const { body: pair } = await get(`/pair?id=${shared.pairId}`);
    expect(pair.pair).toEqual({
      id: shared.pairId,
      dexKey: "slipway",
      feeBps: 100,
      creator: toChecksumAddress(toAddress(3)),
      asset0Id: toChecksumAddress(token),
      asset1Id: toChecksumAddress(wrappedNative),
      createdAtBlockNumber: 200,
      createdAtBlockTimestamp: headTime - 89_999,
      createdAtTxnId: toHash(1),
    });
  });

  test("C5-52 refuses blocks and launches that a reorganisation can take back, and a stopped index", async () => {
    const { db } = fixture.database;
    const token = await insertToken(db, 1, { block_number: finalBlock + 1 });
    const late = await get(`/events?fromBlock=1&toBlock=${finalBlock + 1}`);
    expect([late.status, late.body.error.code]).toEqual([503, "index_unavailable"]);
    expect((await get(`/asset?id=${token}`)).body.error.code).toBe("token_not_indexed");
    expect((await get(`/pair?id=${toAddress(2_001)}`)).body.error.code).toBe("token_not_indexed");
    await db.indexer.query("update chain.status set state = 'halted'");
    await fixture.read.deps.readModel.sync();
    const paths = [
      "/latest-block",
      `/asset?id=${wrappedNative}`,
      `/pair?id=${toAddress(1)}`,
      "/events?fromBlock=1&toBlock=2",
    ];
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 503]);
  });

  test("has no events while an index of an earlier version is read", async () => {
    const { db } = fixture.database;
    await insertToken(db, 1, { block_number: 200 });
    await insertTrade(db, 1, 201);
    for (const path of ["/latest-block", "/events?fromBlock=1&toBlock=300"]) {
      const { status, body } = await get(path);
      expect([path, status, body.error.code]).toEqual([path, 503, "index_unavailable"]);
    }
    expect((await request("/api/v1/launchpad/events?from_block=1")).status).toBe(503);
  });

  test("refuses a range with too many blocks, and one whose trades were removed", async () => {
    const get400 = async (range: string) => (await get(`/events?${range}`)).body.error.field;
    expect(await get400("fromBlock=5&toBlock=4")).toBe("toBlock");
    expect(await get400("fromBlock=1&toBlock=10001")).toBe("toBlock");
    expect(await get400("fromBlock=1e2&toBlock=100")).toBe("fromBlock");
    // Parameters that the reader adds are ignored.
    expect((await get("/events?fromBlock=1&toBlock=2&network=x")).status).toBe(200);
    const { db } = fixture.database;
    await insert(db, "chain.history", {
      generation: "0123456789ab",
      copied_block: 50,
      detached_block: 50,
      copied_time: 200_000,
      detached_time: 1,
    });
    expect((await get("/events?fromBlock=50&toBlock=60")).body.error.code).toBe("history_unavailable");
    expect((await get("/events?fromBlock=51&toBlock=60")).status).toBe(200);
  });

  test("names every asset, and counts burned tokens only once their block is final", async () => {
    const { db } = fixture.database;
    const state = { burned: (10n ** 26n).toString() };
    const token = await insertToken(db, 1, { name: " \u200b", symbol: "" }, state);
    await insert(db, "chain.undo", {
      batch_id: 2,
      relation: "token_state",
      key: { token_id: 1 },
      before: { burned: "0" },
    });
    const { asset } = (await get(`/asset?id=${token}`)).body;
    expect(asset).toEqual({
      id: toChecksumAddress(token),
      name: "0x0000…03e9",
      symbol: "0x0000…03e9",
      totalSupply: "1000000000",
      circulatingSupply: "1000000000",
      ...(feed === "geckoterminal" && { decimals: 18 }),
    });
    const other = await insertToken(db, 2, { name: "", symbol: "TWO" }, state);
    expect((await get(`/asset?id=${other}`)).body.asset).toMatchObject({ name: "TWO", circulatingSupply: "900000000" });
    const native = (await get(`/asset?id=${wrappedNative}`)).body.asset;
    expect(native).toMatchObject({ name: "Wrapped Ether", symbol: "WETH" });
    expect(native.decimals).toBe(feed === "geckoterminal" ? 18 : undefined);
  });
});

describe("TradingView", () => {
  const get = async (path: string) => await request(`/feeds/udf${path}`);
  const minute = finalTime;

  test("describes the datafeed and its time", async () => {
    const { body } = await get("/config");
    expect(body).toMatchObject({ supports_search: true, supports_group_request: false, supports_time: true });
    const time = await get("/time");
    expect([time.status, /^\d{10}$/.test(time.body), time.headers["content-type"]]).toEqual([
      200,
      true,
      "text/plain; charset=utf-8",
    ]);
  });

  test("names symbols by address and currency, and finds them", async () => {
    const { db } = fixture.database;
    const usd = toChecksumAddress(await insertToken(db, 1, { start_price: 2e-9, start_eth_usd: 2_000 }));
    const eth = toChecksumAddress(await insertToken(db, 2, { start_price: 2e-9, start_eth_usd: null }));
    await insertToken(db, 3, { block_number: finalBlock + 1 });
    const { body } = await get(`/symbols?symbol=${usd}`);
    expect(body).toMatchObject({ name: "T1/USD", ticker: usd, currency_code: "USD", pricescale: 1e9, minmov: 1 });
    const other = (await get(`/symbols?symbol=${eth}`)).body;
    expect(other).toMatchObject({ name: "T2/WETH", ticker: `${eth}/WETH`, currency_code: "WETH", pricescale: 1e12 });
    expect((await get(`/symbols?symbol=${toAddress(9)}`)).body).toEqual({ s: "error", errmsg: "unknown_symbol" });
    expect((await get("/symbols?symbol=T1")).body.s).toBe("error");
    const found = (await get("/search?query=token&limit=10")).body;
    expect(found.map(({ ticker }: { ticker: string }) => ticker).sort()).toEqual([usd, `${eth}/WETH`].sort());
    expect((await get("/search?query=t2&limit=10")).body).toHaveLength(1);
    expect((await get("/search?query=&limit=1")).body).toHaveLength(1);
    expect((await get(`/history?symbol=${eth}&resolution=1&from=0&to=1`)).body.errmsg).toContain(`${eth}/WETH`);
  });

  test("C5-52 has bars of final minutes only, oldest first, and merges those of an incomplete interval", async () => {
    const { db } = fixture.database;
    const token = await insertToken(db, 1);
    const bar = (seconds: number, t: number, candle: Record<string, unknown>) =>
      insertCandle(db, 1, seconds, t, candle);
    await bar(60, minute - 120, { o_usd: 1, h_usd: 4, l_usd: 1, c_usd: 2, v: "1000000" });
    await bar(60, minute - 60, { o_usd: 2, h_usd: 3, l_usd: 0.5, c_usd: 3, v: "2000000" });
    // Not final.
    await bar(60, minute, { o_usd: 3, h_usd: 99, l_usd: 3, c_usd: 99 });
    const hour = minute - (minute % 3600);
    await bar(3600, hour, { h_usd: 99 });
    await bar(3600, hour - 7200, { o_usd: 5, h_usd: 5, l_usd: 5, c_usd: 5, v: "7000000" });

    const history = async (query: string) => (await get(`/history?symbol=${token}&${query}`)).body;
    const minutes = await history(`resolution=1&from=0&to=${minute + 600}&countback=10`);
    expect(minutes).toEqual({
      s: "ok",
      t: [minute - 120, minute - 60],
      o: [1, 2],
      h: [4, 3],
      l: [1, 0.5],
      c: [2, 3],
      v: [1, 2],
    });
    const hours = await history(`resolution=60&from=0&to=${minute + 600}`);
    expect(hours).toEqual({
      s: "ok",
      t: [hour - 7200, hour],
      o: [5, 1],
      h: [5, 4],
      l: [5, 0.5],
      c: [5, 3],
      v: [7, 3],
    });
    // `to` is exclusive, `countback` wins over `from`, and a gap names the bar before it.
    expect((await history(`resolution=1&from=${minute}&to=${minute - 60}&countback=1`)).t).toEqual([minute - 120]);
    expect(await history(`resolution=60&from=${hour - 3600}&to=${hour - 60}`)).toEqual({
      s: "no_data",
      nextTime: hour - 7200,
    });
    expect(await history("resolution=1&from=0&to=1")).toEqual({ s: "no_data" });
    expect(await history("resolution=7&from=0&to=1")).toEqual({ s: "error", errmsg: "unknown_resolution" });
  });

  test("the scale of prices keeps four digits of the launch price", () => {
    expect([1, 5_000, 0.002, 4e-6, 1e-30].map(getPriceScale)).toEqual([1e3, 1, 1e6, 1e9, 1e16]);
  });
});

describe("GET /events", () => {
  const get = async (query: string) => await request(`/api/v1/launchpad/events?${query}`);

  test("pages through the events of all pools, and names the head and the final block", async () => {
    const { db } = fixture.database;
    for (const id of [1, 2]) {
      await insertToken(db, id, { block_number: 200 });
      await insertChange(id, 200, { log_index: id, kind: id === 1 ? "mint" : "swap" });
      await insertTrade(db, id, 300 + id, { tx_index: 2 });
    }
    const first = (await get("from_block=200&limit=2")).body;
    expect(first).toMatchObject({ next_cursor: "301:1", to_block: headBlock, final_block: finalBlock });
    expect(first.head).toEqual({ block_number: headBlock, timestamp: new Date(headTime * 1000).toISOString() });
    expect(first.items.map(({ kind }: { kind: string }) => kind)).toEqual(["mint", "swap"]);
    expect(first.items[1]).toMatchObject({
      side: "buy",
      tx_index: 2,
      price_eth: 0.25,
      price_eth_exact: "0.25",
      price_usd: 500,
      volume_usd: 1000,
      pool: toChecksumAddress(toAddress(2_001)),
      token_amount: "2000000000000000000",
      reserves: { token: (10n ** 27n - 2n * 10n ** 18n).toString(), quote: "500000000000000000" },
    });
    const second = (await get(`from_block=200&limit=2&cursor=${first.next_cursor}`)).body;
    expect(second.items.map(({ block_number }: { block_number: number }) => block_number)).toEqual([302]);
    expect(second.next_cursor).toBeNull();
    expect((await get("from_block=200&to_block=300")).body.items).toHaveLength(1);
    expect((await get("from_block=200&to_block=199")).body.error.field).toBe("to_block");
    expect((await get("from_block=200&to_block=10200")).body.error.field).toBe("to_block");
    expect((await get("")).body.error.field).toBe("from_block");
  });
});

test("GET /pools/{address} is the token of the pool", async () => {
  const token = await insertToken(fixture.database.db, 1);
  const { body } = await request(`/api/v1/launchpad/pools/${toAddress(2_001)}`);
  expect(body).toEqual((await request(`/api/v1/launchpad/tokens/${token}`)).body);
  const unknown = await request(`/api/v1/launchpad/pools/${token}`);
  expect(unknown.body.error.code).toBe("token_not_indexed");
});

test("C5-54 other changes of a pool, which any account can add, do not raise the cost of a page of events", async () => {
  const { db } = fixture.database;
  await insertToken(db, 1, { block_number: 200 });
  await insertChange(1, 200);
  for (const block of [201, 301]) await insertTrade(db, 1, block, { block_time: headTime - 400, tx_index: 5 });
  const readRows = async () => {
    const client = await fixture.database.connect("-c random_page_cost=1.1");
    const range = { fromBlock: 0, toBlock: finalBlock, limit: 100, delaySeconds: 10 ** 12 };
    const { db: explained, plans } = explainStatements(client);
    const { events } = await readEvents(explained as never, range);
    return { events, rows: rowsRead(plans.flat()) };
  };
  const before = await readRows();
  await db.indexer.query(
    `insert into chain.pool_changes select c.token_id, n, 250, c.block_time, 0, null, 'flash', c.tx_hash, 0, 1, c.reserve_token,
       c.reserve_quote + n from chain.pool_changes c, generate_series(1, 5000) n where c.block_number = 200`,
  );
  await db.indexer.query("analyze chain.pool_changes");
  const after = await readRows();
  expect(after.events.map(({ reserveQuote }) => reserveQuote)).toEqual([0n, 500000000000000000n, 500000000000005000n]);
  expect(after.rows).toBeLessThan(before.rows + 20);
});
