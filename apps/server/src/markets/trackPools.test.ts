import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import { clear, headTime, insertCandle, insertIndex, insertToken } from "../../../../tests/support/server/rows.ts";
import { listMarkets } from "./readMarkets.ts";
import { trackPools } from "./trackPools.ts";

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => {
  await database?.stop();
});
beforeEach(async () => {
  await clear(database.db);
  await insertIndex(database.db);
});

const hour = 3600;
const day = 86_400;
const closed = headTime - (headTime % hour) - hour;
const track = async () => {
  await trackPools(database.db.api);
  return (await listMarkets(database.db.read, headTime)).map(({ pair }) => pair);
};
/** Inserts a token with trades in two hours, the last hour `age` seconds ago. */
async function insertTraded(id: number, trades: number, age = 0, address?: string): Promise<void> {
  const time = closed - age - ((closed - age) % hour);
  const token = address === undefined ? {} : { address };
  await insertToken(database.db, id, token, { trades, last_trade_time: time });
  await insertCandle(database.db, id, hour, time, { n: trades - 1 });
  await insertCandle(database.db, id, hour, time - hour, { n: 1 });
}

test("a pool is a market while it has 30 trades in seven days", async () => {
  await insertTraded(1, 30);
  await insertTraded(2, 29);
  await insertTraded(3, 400, 8 * day);
  expect(await track()).toEqual(["T0000000000_WETH"]);
  await database.db.indexer.query("update chain.candles set n = 40 where token_id = 2 and n > 1");
  await database.db.indexer.query("update chain.token_state set trades = 41 where token_id = 2");
  expect(await track()).toHaveLength(2);
  await database.db.indexer.query("update chain.candles set n = 2 where token_id = 1");
  expect(await track()).toHaveLength(1);
});

test("a later launch whose address starts with the same ten digits has all forty digits in its name", async () => {
  const first = `0xabcdef0123${"4".repeat(30)}`;
  const second = `0xabcdef0123${"5".repeat(30)}`;
  await insertTraded(1, 50, 0, first);
  expect(await track()).toEqual(["TABCDEF0123_WETH"]);
  await insertTraded(2, 5_000, 0, second);
  expect(await track()).toEqual([`TABCDEF0123${"5".repeat(30)}_WETH`, "TABCDEF0123_WETH"]);
  // The names do not change when the first market is untracked.
  await database.db.indexer.query("update chain.candles set n = 2 where token_id = 1");
  expect(await track()).toEqual([`TABCDEF0123${"5".repeat(30)}_WETH`]);
});

test("C9-08 if many pools have enough trades, the pools with the most volume are markets", async () => {
  for (let id = 1; id <= 203; id++) {
    await insertTraded(id, 30, 0, `0x${id.toString(16).padStart(10, "0")}${"1".repeat(30)}`);
    await database.db.indexer.query("update chain.candles set vq = $2 where token_id = $1", [id, String(id)]);
  }
  const pairs = await track();
  expect(pairs).toHaveLength(200);
  expect(pairs[0]).toBe("T0000000004_WETH");
});

test("two processes that track pools at once get the same result", async () => {
  await insertTraded(1, 50, 0, `0xabcdef0123${"4".repeat(30)}`);
  await insertTraded(2, 50, 0, `0xabcdef0123${"5".repeat(30)}`);
  await Promise.all([trackPools(database.db.api), trackPools(database.db.api)]);
  expect(await track()).toHaveLength(2);
});
