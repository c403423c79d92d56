import { afterAll, beforeAll, expect, test } from "vitest";
import { getLastHour, storeRiskMarket } from "../../../../../tests/support/markets/riskBars.ts";
import { storeTestBars, testBar } from "../../../../../tests/support/markets/storeTestBars.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { insert, insertCandle, insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { findMarket } from "../../markets/readMarkets.ts";
import { findRisk, wantRisk } from "./queries.ts";
import { readRiskBars } from "./readRiskBars.ts";
import { writeRisk } from "./writeRisk.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

/** Fixed, because the hour can end during a test. */
const lastHour = getLastHour();
const waitOptions = { timeout: 60_000, interval: 20 };
const countComputed = async () => {
  const { values } = await read.deps.metrics.riskComputed.get();
  return values.reduce((sum, { value }) => sum + value, 0);
};

test("C9-17 one of three workers computes a requested pair once per closed bar, and no other pair", async () => {
  const { db } = database;
  const id = await storeRiskMarket(db, "BTC_USDT", { days: 310, lastTime: lastHour - 3600 });
  const unwanted = await storeRiskMarket(db, "ETH_USDT", { days: 3 });
  const jobs = [1, 2, 3].map(() => writeRisk(read.deps));
  await wantRisk(db.api, [id]);
  await expect.poll(() => findRisk(db.read, id), waitOptions).not.toBeNull();
  const first = (await findRisk(db.read, id))!;
  expect(first.data_through).toBe(lastHour);
  expect([first.snapshot.reason, first.history.length]).toEqual([null, 168]);
  const count = async () => (await db.api.query("select from app.risk_forecasts where market_id = $1", [id])).rowCount;
  expect(await count()).toBeGreaterThan(200);
  expect(await countComputed()).toBe(1);

  await storeTestBars(db, { id }, 3600, [testBar(lastHour, first.snapshot.price)]);
  await wantRisk(db.api, [id]);
  await expect.poll(async () => (await findRisk(db.read, id))!.data_through, waitOptions).toBe(lastHour + 3600);
  expect(await countComputed()).toBe(2);
  expect(await findRisk(db.read, unwanted)).toBeNull();
  await Promise.all(jobs.map((job) => job.stop()));
});

test("hours of a pool without trades have the previous price, through the last full hour", async () => {
  const { db } = database;
  await insertIndex(db);
  const token = await insertToken(db, 1);
  const start = lastHour - 20 * 3600;
  for (const t of [start, start + 5 * 3600]) await insertCandle(db, 1, 3600, t);
  await db.indexer.query("update chain.checkpoint set block_time = $1", [lastHour + 3700]);
  await insert(db, "app.markets", { pair: "T00000003E9_WETH", source: "pool", token });
  const market = (await findMarket(db.read, "T00000003E9_WETH", lastHour + 3700))!;
  const through = lastHour + 3600;
  const bars = await readRiskBars(db.read, market, through);
  expect([bars.time[0], bars.time[bars.time.length - 1], bars.time.length]).toEqual([start, lastHour, 21]);
  expect([bars.open[3], bars.high[3], bars.quoteVolume[3], bars.quoteVolume[5]]).toEqual([2, 2, 0, 1]);
});
