import { marketBars, markets } from "@slipway/protocol/markets";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  storeTestBars,
  storeTestMarket,
  testBar,
  testBars,
} from "../../../../../tests/support/markets/storeTestBars.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  clear,
  headTime,
  insert,
  insertCandle,
  insertIndex,
  insertToken,
} from "../../../../../tests/support/server/rows.ts";
import { setProgress } from "../../markets/collection.ts";
import { systemClock } from "../../systemClock.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => {
  await database?.stop();
});
beforeEach(async () => {
  await clear(database.db);
  read = await createReadApp(database.db);
});
afterEach(async () => {
  await read?.app.close();
});

const hour = 3600;
const day = 86_400;
const now = Math.floor(Date.now() / 1000);
const lastHour = now - (now % hour) - hour;
const toTime = (seconds: number) => new Date(seconds * 1000).toISOString();

const get = async (path: string) => {
  const answer = await read.app.inject({ method: "GET", url: `/api/markets${path}` });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
};
const list = async () => {
  const { status, body } = await get("");
  expect(status).toBe(200);
  expect(markets.parse(body)).toEqual(body);
  return body.items as Record<string, unknown>[];
};

describe("GET /api/markets", () => {
  test("returns an empty list without listed markets", async () => {
    expect(await list()).toEqual([]);
  });

  test("returns status, price, change and gaps of a market; caches may keep the response for 10 s", async () => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    const closes = Array.from({ length: 40 * 24 }, (_, n) => 1_000 + n);
    const bars = testBars(closes, hour, lastHour).filter((_, n) => ![30, 800, 801].includes(n));
    await storeTestBars(database.db, market, hour, bars);
    await storeTestBars(database.db, market, 60, [testBar(lastHour + hour, 3_000)]);
    expect(await list()).toEqual([
      {
        ...{ pair: "BTC_USDT", base: "BTC", quote: "USDT", symbol: "BTC", token: null, source: "exchange" },
        ...{ exchange: "binance", status: "fresh", reason: null, bars_1h: 957, gaps_30d: 2 },
        ...{ last_bar_at: toTime(lastHour), first_bar_at: toTime(lastHour - 959 * hour) },
        ...{ price: 3_000, change_24h: 3_000 / (1_959 - 24) - 1 },
      },
    ]);
    expect((await get("")).headers["cache-control"]).toBe("public, max-age=10");
  });

  test("returns the reason and no price of an unavailable market", async () => {
    const market = await storeTestMarket(database.db, "GOLD_USD", "import");
    await storeTestBars(database.db, market, hour, testBars([7, 8], hour, lastHour - 7 * hour));
    await storeTestMarket(database.db, "BTC_USDT");
    expect(await list()).toMatchObject([
      { pair: "BTC_USDT", status: "unavailable", reason: "no_data", price: null, last_bar_at: null, gaps_30d: null },
      {
        pair: "GOLD_USD",
        source: "import",
        status: "unavailable",
        reason: "gap",
        price: null,
        change_24h: null,
        bars_1h: 2,
      },
    ]);
  });

  test("carries the price of a pool forward while there is no trade", async () => {
    await insertIndex(database.db);
    const token = await insertToken(database.db, 1, { symbol: "TIN" });
    const closed = headTime - (headTime % hour) - hour;
    await insertCandle(database.db, 1, hour, closed - 3 * day, { c: 2 });
    await insertCandle(database.db, 1, hour, closed - 2 * hour, { c: 3 });
    await insertCandle(database.db, 1, 60, closed, { c: 2.5 });
    await insert(database.db, "app.markets", { pair: "T00000003E9_WETH", source: "pool", token });
    const [item] = await list();
    expect(item).toMatchObject({ pair: "T00000003E9_WETH", base: "T00000003E9", quote: "WETH", symbol: "TIN" });
    expect(item).toMatchObject({ source: "pool", bars_1h: 2, gaps_30d: null, price: 2.5, change_24h: 0.25 });
    expect(String(item!.token).toLowerCase()).toBe(token);
  });
});

test("responds from its cache until a bar is collected or a market is removed, for a second at most", async () => {
  const { db } = database;
  const market = await storeTestMarket(db, "BTC_USDT");
  await storeTestBars(db, market, hour, testBars([1, 2], hour, lastHour - hour));
  let at = Date.now();
  const fixed = await createReadApp(db, {}, { ...systemClock, now: () => at });
  const queries: string[] = [];
  const reading = vi.spyOn(db.read, "query");
  const read = async () => {
    reading.mockClear();
    const url = (path: string) => ({ method: "GET", url: `/api/markets${path}` }) as const;
    const [list, bars] = [await fixed.app.inject(url("")), await fixed.app.inject(url("/BTC_USDT/bars"))];
    queries.push(reading.mock.calls.map(([query]) => (query as unknown as { name: string }).name).join(" "));
    const [item] = list.json().items;
    return [item?.price, item?.reason ?? null, bars.json().items?.map(({ c }: { c: number }) => c)];
  };
  expect(await read()).toEqual([2, null, [1, 2]]);
  expect(await read()).toEqual([2, null, [1, 2]]);
  expect(queries[1]).toBe("market-version market-version");
  await storeTestBars(db, market, hour, [testBar(lastHour, 3)]);
  await setProgress(db.api, market.id, hour, 0, { through: lastHour + hour, error: null });
  expect(await read()).toEqual([3, null, [1, 2, 3]]);
  // An import records no progress.
  await storeTestBars(db, market, hour, [testBar(lastHour - 3 * hour, 0.5)]);
  expect(await read()).toEqual([3, null, [1, 2, 3]]);
  at += 1_001;
  expect(await read()).toEqual([3, null, [0.5, 1, 2, 3]]);
  await db.api.query("update app.markets set tracked = false");
  expect(await read()).toEqual([undefined, null, undefined]);
  reading.mockRestore();
  await fixed.app.close();
});

describe("GET /api/markets/{pair}/bars", () => {
  test("returns pages of closed bars, oldest first", async () => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    await storeTestBars(database.db, market, hour, testBars([1, 2, 3, 4, 5], hour, lastHour));
    const { status, body, headers } = await get("/BTC_USDT/bars?limit=2");
    expect([status, marketBars.parse(body)]).toEqual([200, body]);
    expect(headers["cache-control"]).toBe("public, max-age=10");
    expect(body).toMatchObject({ pair: "BTC_USDT", interval: "1h", quote: "USDT", next_before: lastHour - hour });
    expect(body.items[1]).toEqual({ t: lastHour, o: 4, h: 5, l: 4, c: 5, v: null, vq: null, n: null, vb: 1 });
    const closes = async (query: string) => {
      const page = (await get(`/BTC_USDT/bars?${query}`)).body;
      return [page.items.map(({ c }: { c: number }) => c), page.next_before];
    };
    expect(await closes(`limit=2&before=${body.next_before}`)).toEqual([[2, 3], lastHour - 3 * hour]);
    expect(await closes(`limit=2&before=${lastHour - 3 * hour}`)).toEqual([[1], null]);
    expect(await closes("interval=1m")).toEqual([[], null]);
  });

  test.each([
    ["btc_usdt", 400],
    ["BTC-USDT", 400],
    ["BTC_USDT_X", 400],
    [`${"A".repeat(42)}_USDT`, 400],
    ["NONE_USDT", 404],
  ])("answers %s with %i", async (pair, expected) => {
    const { status, body } = await get(`/${pair}/bars`);
    expect(status).toBe(expected);
    if (expected === 404) expect(body.error.code).toBe("pair_not_found");
  });

  test.each(["interval=5m", "limit=0", "limit=1001", "before=-1", "other=1"])("refuses %s", async (query) => {
    await storeTestMarket(database.db, "BTC_USDT");
    const { status, body } = await get(`/BTC_USDT/bars?${query}`);
    expect([status, body.error.code]).toEqual([400, "invalid_query"]);
  });
});
