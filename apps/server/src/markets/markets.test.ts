import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { storeTestBars, storeTestMarket, testBar, testBars } from "../../../../tests/support/markets/storeTestBars.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import {
  clear,
  headTime,
  insert,
  insertCandle,
  insertIndex,
  insertToken,
} from "../../../../tests/support/server/rows.ts";
import { readBars } from "./readBars.ts";
import { findMarket, listMarkets } from "./readMarkets.ts";
import { storeBars } from "./storeBars.ts";

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => {
  await database?.stop();
});
beforeEach(async () => {
  await clear(database.db);
});

const hour = 3600;
const lastHour = headTime - (headTime % hour) - hour;
const now = lastHour + hour + 60;
const list = async (nowSeconds = now) => await listMarkets(database.db.read, nowSeconds);

/** Inserts a token with hour candles up to the head, tracked as a market. */
async function insertPool(times: readonly number[]): Promise<string> {
  await insertIndex(database.db);
  const token = await insertToken(database.db, 1);
  for (const t of times) await insertCandle(database.db, 1, hour, t);
  await insert(database.db, "app.markets", { pair: "T00000003E9_WETH", source: "pool", token });
  return token;
}

describe("stored bars", () => {
  test("are returned ascending within a range; a limit keeps the last bars", async () => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    const bars = testBars([1, 2, 3, 4, 5], hour, lastHour);
    await storeTestBars(database.db, market, hour, bars);
    const read = async (range: Parameters<typeof readBars>[3]) => await readBars(database.db.read, market, hour, range);
    expect(await read({})).toEqual(bars);
    expect(await read({ limit: 2 })).toEqual(bars.slice(-2));
    expect(await read({ from: bars[1]!.time, to: bars[2]!.time })).toEqual(bars.slice(1, 3));
    expect(await readBars(database.db.read, market, 60, {})).toEqual([]);
  });

  test("can be in any month, also in a month with a partition", async () => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    const times = [2012, 2012, 2026, 2040].map((year, at) => Date.UTC(year, at, 3) / 1000);
    for (const time of times) await storeTestBars(database.db, market, hour, [testBar(time, 7)]);
    expect((await readBars(database.db.read, market, hour, {})).map(({ time }) => time)).toEqual(times);
  });

  test("are stored by concurrent writers that need the same new month", async () => {
    const markets = await Promise.all(
      ["A_USD", "B_USD", "C_USD", "D_USD"].map((pair) => storeTestMarket(database.db, pair)),
    );
    const bar = testBar(Date.UTC(2031, 5, 1) / 1000, 7);
    await Promise.all(markets.map((market) => storeTestBars(database.db, market, hour, [bar])));
    for (const market of markets) expect(await readBars(database.db.read, market, hour, {})).toEqual([bar]);
  });

  test("are replaced and marked if their source changed them; equal bars do not change", async () => {
    const { id } = await storeTestMarket(database.db, "BTC_USDT");
    const [first, second] = testBars([10, 11], hour, lastHour);
    const store = async (bars: Parameters<typeof storeBars>[4]) =>
      await storeBars(database.db.api, id, hour, "history", bars);
    expect(await store([first!])).toEqual({ added: 1, revised: 0 });
    expect(await store([first!, second!])).toEqual({ added: 1, revised: 0 });
    expect(await store([first!, testBar(lastHour, 12)])).toEqual({ added: 0, revised: 1 });
    const { rows } = await database.db.api.query<{ close: number; revised: boolean }>(
      "select close, revised_at is not null as revised from app.market_bars order by time",
    );
    expect(rows).toEqual([
      { close: 10, revised: false },
      { close: 12, revised: true },
    ]);
  });
});

describe("a market of an exchange", () => {
  test.each([
    [0, "fresh", null],
    [2 * hour, "fresh", null],
    [2 * hour + 1, "stale", null],
    [6 * hour, "stale", null],
    [6 * hour + 1, "unavailable", "gap"],
  ] as const)("whose last hour ended %i seconds ago is %s", async (age, status, reason) => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    await storeTestBars(database.db, market, hour, testBars([1, 2], hour, lastHour));
    expect(await list(lastHour + hour + age)).toEqual([
      {
        id: market.id,
        pair: "BTC_USDT",
        base: "BTC",
        quote: "USDT",
        symbol: "BTC",
        token: null,
        source: "exchange",
        exchange: "binance",
        status,
        reason,
        firstBarAt: lastHour - hour,
        lastBarAt: lastHour,
      },
    ]);
  });

  test("without bars is unavailable, and the reason shows whether its source failed", async () => {
    const { id } = await storeTestMarket(database.db, "BTC_USDT");
    expect(await list()).toMatchObject([{ status: "unavailable", reason: "no_data", firstBarAt: null }]);
    await insert(database.db, "app.market_progress", {
      market_id: id,
      interval: hour,
      stage: 0,
      through: 0,
      error: "http",
    });
    expect(await list()).toMatchObject([{ status: "unavailable", reason: "source_down", lastBarAt: null }]);
  });

  test("is found by its pair while it is tracked", async () => {
    const { id } = await storeTestMarket(database.db, "BTC_USDT");
    expect(await findMarket(database.db.read, "BTC_USDT", now)).toMatchObject({ id });
    expect(await findMarket(database.db.read, "ETH_USDT", now)).toBeNull();
    await database.db.api.query("update app.markets set tracked = false");
    expect(await findMarket(database.db.read, "BTC_USDT", now)).toBeNull();
    expect(await list()).toEqual([]);
  });
});

describe("a market of an own pool", () => {
  const opens = [
    headTime - (headTime % hour) - 3 * hour,
    headTime - (headTime % hour) - hour,
    headTime - (headTime % hour),
  ];

  test("has the closed candles of its token", async () => {
    await insertPool(opens);
    const market = (await findMarket(database.db.read, "T00000003E9_WETH", headTime))!;
    expect(market).toMatchObject({ symbol: "T1", source: "pool", status: "fresh", exchange: null });
    expect(market).toMatchObject({ firstBarAt: opens[0], lastBarAt: opens[1] });
    const bars = await readBars(database.db.read, market, hour, {});
    expect(bars.map(({ time }) => time)).toEqual(opens.slice(0, 2));
    // 1 wrapped native at the mean of 1, 3, 0.5 and 2.
    expect(bars[0]).toMatchObject({ open: 1, high: 3, low: 0.5, close: 2, quoteVolume: 1, volume: 4 / 6.5, trades: 3 });
  });

  test("without trades is fresh while the index is live", async () => {
    await insertPool([headTime - (headTime % hour) - 100 * hour]);
    expect(await list(headTime)).toMatchObject([{ status: "fresh" }]);
  });

  test.each([
    [2 * hour, "fresh", null],
    [6 * hour, "stale", null],
    [6 * hour + 1, "unavailable", "source_down"],
  ])("is judged by its last block, %i seconds ago, when no indexer reports", async (age, status, reason) => {
    await insertPool(opens);
    await database.db.indexer.query("update chain.status set updated_at = now() - interval '1 minute'");
    expect(await list(headTime + age)).toMatchObject([{ status, reason }]);
  });

  test("disappears with its launch, and while the launch is blocked", async () => {
    const token = await insertPool(opens);
    await database.db.api.query("insert into app.blocked_tokens (token, blocked_at) values ($1, now())", [token]);
    expect(await list(headTime)).toEqual([]);
    await database.db.api.query("update app.blocked_tokens set blocked_at = null");
    expect(await list(headTime)).toHaveLength(1);
    await database.db.indexer.query("delete from chain.tokens");
    expect(await list(headTime)).toEqual([]);
  });
});
