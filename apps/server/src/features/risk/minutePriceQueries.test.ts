import { afterAll, beforeAll, expect, test } from "vitest";
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
  const prices = await readMinutePrices(database.db.read, [whole, gap, none]);
  expect(prices.get(whole)).toEqual({
    market_id: whole,
    price: 110,
    closed_at: last + minute,
    change_24h: expect.closeTo(0.1, 12),
  });
  expect(prices.get(gap)).toMatchObject({ price: 110, change_24h: null });
  expect(prices.has(none)).toBe(false);
  expect(await readMinutePrices(database.db.read, [])).toEqual(new Map());
});

test("a pool's price of 24 hours before is its last trade's before then, however old", async () => {
  const { db } = database;
  await clear(db);
  await insertIndex(db);
  const token = `0x${"1".repeat(40)}`;
  await insertToken(db, 1, { address: token });
  await insert(db, "app.markets", { pair: "POOL_WETH", source: "pool", token });
  const { rows } = await db.api.query<{ id: number }>("select id from app.markets where pair = 'POOL_WETH'");
  const { id } = rows[0]!;
  const last = headTime - (headTime % minute) - 2 * minute;
  await insertCandle(db, 1, minute, last - 3 * day, { o: 2, h: 2, l: 2, c: 2 });
  await insertCandle(db, 1, minute, last, { o: 3, h: 3, l: 3, c: 3 });
  const prices = await readMinutePrices(db.read, [id]);
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
