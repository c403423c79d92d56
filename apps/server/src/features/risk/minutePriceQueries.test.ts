import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatements, pagesTouched, rowsRead } from "../../../../../bench/queryPlan.ts";
import { getLastHour, storeRiskMarket } from "../../../../../tests/support/markets/riskBars.ts";
import { storeTestBars, storeTestMarket, testBar } from "../../../../../tests/support/markets/storeTestBars.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  clear,
  headTime,
  insert,
  insertCandle,
  insertIndex,
  insertToken,
  insertTrade,
} from "../../../../../tests/support/server/rows.ts";
import { createRiskComputer } from "../../compute/createRiskComputer.ts";
import { findMarket } from "../../markets/readMarkets.ts";
import { systemClock } from "../../systemClock.ts";
import { readMinutePrices } from "./minutePriceQueries.ts";
import { findRisk, storeRisk } from "./queries.ts";
import { readRiskBars } from "./readRiskBars.ts";
import { toRiskCard } from "./toRisk.ts";

const minute = 60;
const day = 86_400;
let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => database?.stop());

/** Stores a market with one-minute bars, by time and close. */
async function storeMinutes(pair: string, closes: readonly (readonly [time: number, close: number])[]) {
  const { db } = database;
  const { id } = await storeTestMarket(db, pair, "exchange");
  const bars = closes.map(([time, close]) => testBar(time, close));
  await storeTestBars(db, { id }, minute, bars);
  return id;
}

test("returns the last minute's close, and its change since the close of 24 hours before", async () => {
  const last = getLastHour() + 1_800;
  const whole = await storeMinutes("WHOLE_USDT", [
    [last - day - 2 * minute, 90],
    [last - day - minute, 100],
    [last - day + minute, 400],
    [last, 110],
  ]);
  // The close of 24 hours before is missing for more than an hour.
  const gap = await storeMinutes("GAP_USDT", [
    [last - day - 2 * 3_600, 100],
    [last, 110],
  ]);
  const none = await storeMinutes("NONE_USDT", []);
  const prices = await readMinutePrices(database.db.read, [whole, gap, none], last + minute);
  expect(prices.get(whole)).toEqual({
    market_id: whole,
    price: 110,
    closed_at: last + minute,
    change_24h: expect.closeTo(0.1, 12),
  });
  expect(prices.get(gap)).toMatchObject({ price: 110, change_24h: null });
  expect(prices.has(none)).toBe(false);
  expect(await readMinutePrices(database.db.read, [], last)).toEqual(new Map());
});

test("a minute from the future is no price, of an exchange or a pool", async () => {
  const { db } = database;
  await clear(db);
  await insertIndex(db);
  const last = headTime - (headTime % minute) - 3 * minute;
  const exchange = await storeMinutes("FUTURE_USDT", [
    [last, 5],
    [last + minute, 6],
  ]);
  const token = `0x${"2".repeat(40)}`;
  await insertToken(db, 1, { address: token });
  await insert(db, "app.markets", { pair: "FUTURE_WETH", source: "pool", token });
  const { rows } = await db.api.query<{ id: number }>("select id from app.markets where pair = 'FUTURE_WETH'");
  const pool = rows[0]!.id;
  await insertCandle(db, 1, minute, last, { o: 5, h: 5, l: 5, c: 5 });
  await insertCandle(db, 1, minute, last + minute, { o: 6, h: 6, l: 6, c: 6 });
  for (const [now, price] of [
    [last + minute, 5],
    [last + 2 * minute - 1, 5],
    [last + 2 * minute, 6],
  ] as const) {
    const prices = await readMinutePrices(db.read, [exchange, pool], now);
    expect([now, prices.get(exchange)?.price, prices.get(pool)?.price]).toEqual([now, price, price]);
  }
});

test("reads a few rows for each exchange, not its whole history of minutes", async () => {
  const { db } = database;
  const last = getLastHour();
  const ids = [await storeMinutes("MANY_USDT", [[last, 5]]), await storeMinutes("MORE_USDT", [[last, 5]])];
  await db.indexer.query(
    `insert into app.market_bars (market_id, interval, time, open, high, low, close, volume, source)
     select id, ${minute}, ${last} - ${minute} * n, 1, 1, 1, 1, 1, 1
     from unnest($1::int[]) id, generate_series(1, 3000) n`,
    [ids],
  );
  await db.indexer.query("analyze app.market_bars");
  const client = await database.connect();
  const { db: explained, plans } = explainStatements(client);
  await readMinutePrices(explained as never, ids, last + minute);
  const nodes = plans.flat();
  expect(rowsRead(nodes)).toBeGreaterThan(0);
  expect(rowsRead(nodes)).toBeLessThanOrEqual(50);
});

test("derives the price of 24 hours before from a week of a pool's trades, not from all of them", async () => {
  const { db } = database;
  await clear(db);
  await insertIndex(db);
  const count = 10;
  const last = headTime - (headTime % minute) - 2 * minute;
  for (let n = 1; n <= count; n++) {
    const token = `0x${n.toString(16).padStart(40, "0")}`;
    await insertToken(db, n, { address: token });
    await insert(db, "app.markets", { pair: `THIN${n}_WETH`, source: "pool", token });
    await insertCandle(db, n, minute, last, { o: 3, h: 3, l: 3, c: 3 });
  }
  // A trade in each hour of 80 days, whose candles are not stored.
  await insertTrade(db, 1, 1, { block_time: last - 500 * day });
  await db.indexer.query(
    `insert into chain.trades select (jsonb_populate_record(t, jsonb_build_object('token_id', token, 'log_index', token,
       'block_number', 10000 - n, 'block_time', ${last} - ${day} - n * 3600, 'pool_price', 1 + n))).*
     from chain.trades t, generate_series(1, 2000) n, generate_series(1, ${count}) token`,
  );
  await db.indexer.query(
    `insert into chain.totals (seconds, t, first_block)
     select 60, block_time - block_time % 60, min(block_number) from chain.trades group by 2`,
  );
  await db.indexer.query("update chain.sparse_candles set below_time = $1", [last - (last % day)]);
  await db.indexer.query("analyze");
  const { rows } = await db.api.query<{ id: number }>("select id from app.markets where pair like 'THIN%'");
  const ids = rows.map(({ id }) => id);
  const prices = await readMinutePrices(db.read, ids, headTime);
  for (const id of ids) expect(prices.get(id)).toMatchObject({ price: 3, change_24h: 0.5 });
  const { db: explained, plans } = explainStatements(await database.connect());
  // The first run of a connection also reads the catalogue.
  for (let run = 0; run < 2; run++) await readMinutePrices(explained as never, ids, headTime);
  // All trades of a pool take 1,800 pages.
  expect(pagesTouched(plans.at(-1)!)).toBeLessThanOrEqual(400 * count);
  await db.indexer.query("update chain.sparse_candles set below_time = 0");
});

test.each([3, 40])("a pool's price of 24 hours before is its last trade's before then, %i days old", async (days) => {
  const { db } = database;
  await clear(db);
  await insertIndex(db);
  const token = `0x${"1".repeat(40)}`;
  await insertToken(db, 1, { address: token });
  await insert(db, "app.markets", { pair: "POOL_WETH", source: "pool", token });
  const { rows } = await db.api.query<{ id: number }>("select id from app.markets where pair = 'POOL_WETH'");
  const { id } = rows[0]!;
  const last = headTime - (headTime % minute) - 2 * minute;
  await insertCandle(db, 1, minute, last - days * day, { o: 2, h: 2, l: 2, c: 2 });
  await insertCandle(db, 1, minute, last, { o: 3, h: 3, l: 3, c: 3 });
  const prices = await readMinutePrices(db.read, [id], headTime);
  expect(prices.get(id)).toEqual({ market_id: id, price: 3, closed_at: last + minute, change_24h: 0.5 });
});

test("a card has the price of a minute that is newer than the last hour, and hourly numbers", async () => {
  const { db } = database;
  const lastHour = getLastHour();
  const id = await storeRiskMarket(db, "CARD_USDT", { days: 320, lastTime: lastHour });
  const now = lastHour + 3_600 + 300;
  const market = (await findMarket(db.read, "CARD_USDT", now))!;
  const computer = createRiskComputer({ clock: systemClock });
  const bars = await readRiskBars(db.read, market, lastHour + 3_600);
  await storeRisk(db.api, id, "1", await computer.compute({ bars, stored: [] }));
  await computer.stop();
  const stored = (await findRisk(db.read, id))!;
  const toTime = (seconds: number) => new Date(seconds * 1_000).toISOString();
  const hourly = toRiskCard(market, stored, undefined, now);
  expect(hourly).toMatchObject({ price: Array.from(bars.close).at(-1), price_time: toTime(lastHour + 3_600) });

  const price = { market_id: id, price: 7, change_24h: 0.5 };
  const older = toRiskCard(market, stored, { ...price, closed_at: lastHour + 3_600 }, now);
  expect(older).toEqual(hourly);
  const newer = toRiskCard(market, stored, { ...price, closed_at: lastHour + 3_660 }, now);
  expect(newer).toEqual({ ...hourly, price: 7, change_24h: 0.5, price_time: toTime(lastHour + 3_660) });
  // Old numbers have no current price either.
  const late = toRiskCard(market, stored, { ...price, closed_at: lastHour + 3_660 }, now + 7 * 3_600);
  expect(late).toMatchObject({ status: "unavailable", price: null, price_time: null });
});
