import { candleLengths } from "@slipway/protocol/candle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../../../../bench/seedRandom.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import {
  createTrade,
  insertAccount,
  insertAll,
  insertIndex,
  insertToken,
  toHash,
  type Values,
} from "../../../../../tests/support/server/rows.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { createIndexState, type TokenRef } from "../../indexer/indexState.ts";
import { addTrade } from "../../indexer/reduce/addTrade.ts";
import { createBatch, touch } from "../../indexer/reduce/batch.ts";
import type { Sources } from "../../indexer/sources.ts";
import { copyNewCandles } from "../../indexer/store/writeCandles.ts";
import { detachTrades, orderTrades, thinCandles } from "./partitionQueries.ts";

const day = 86_400;
/** A midnight. */
const start = 20_000 * day;
const days = 8;
const startPrice = 0.001_234_567;
/** The mean seconds between trades of each token, and whether its start and some of its trades have no ETH/USD price. */
const shapes = [
  { pause: 45, isUnknown: false },
  { pause: 900, isUnknown: false },
  { pause: 20_000, isUnknown: false },
  { pause: 300, isUnknown: true },
];

type Candle = Record<string, unknown>;
let database: ReadDatabase;
/** All candles as the indexer writes them, by token and length, newest first. */
let expected: Map<string, Candle[]>;

const columns = "token_id, seconds, t, o, h, l, c, o_usd, h_usd, l_usd, c_usd, n, buys, vq, v";

async function read(token: number, seconds: number, range: { from?: number; before?: number; limit?: number } = {}) {
  const { rows } = await database.db.indexer.query<Candle>(
    `select ${columns} from chain.token_candles($1, $2, $3, $4, $5)`,
    [token, seconds, range.from ?? 0, range.before ?? 10 ** 12, range.limit ?? 10 ** 9],
  );
  return rows;
}

/** Reduces trades with the indexer's code, and writes them with their candles. */
async function writeHistory(): Promise<void> {
  const random = seedRandom(3);
  const state = createIndexState({
    deployments: [],
    openingFactories: [],
    gasStation: null,
    ethUsd: null,
  } as unknown as Sources);
  let ethUsd: number | null = null;
  state.ethUsd = { getPrice: () => ethUsd } as unknown as typeof state.ethUsd;
  const batch = createBatch(1, state, []);
  const tokens = shapes.map(({ isUnknown }, index) => {
    const pool = { tick: 0, liquidity: 1n, lockedLiquidity: 1n, tickLower: -1, tickUpper: 1, poolProtocolFee: 0 };
    const sums = { trades: 0, buys: 0, volumeQuote: 0n, volumeUsd: 0n, lastTradeTime: null, changedBlock: 0 };
    const last = { lastClose: startPrice, lastCloseUsd: isUnknown ? null : startPrice * 1_999.123_456_789 };
    return {
      id: index + 1,
      batchId: -1,
      feeBps: 100,
      protocolFeeBps: 10,
      ...pool,
      ...sums,
      ...last,
    } as unknown as TokenRef;
  });
  const nextTimes = shapes.map(({ pause }) => start + Math.floor(random() * pause));
  const trades: Values[] = [];
  for (let block = 1_000; ; block += 1 + Math.floor(random() * 5)) {
    const time = Math.min(...nextTimes);
    if (time >= start + days * day) break;
    const index = nextTimes.indexOf(time);
    // Several trades can be in one second.
    nextTimes[index] = time + Math.floor(random() ** 2 * 3 * shapes[index]!.pause);
    const token = tokens[index]!;
    ethUsd = shapes[index]!.isUnknown && random() < 0.3 ? null : 2_000 * (1 + random() * 1e-3);
    Object.assign(batch.at, { blockNumber: block, blockTime: time });
    const isBuy = random() < 0.5;
    const price = token.lastClose * (0.95 + 0.1 * random());
    const quoteAmount = BigInt(Math.floor(random() * 1e15)) * BigInt(1 + Math.floor(random() * 1e6)) + 1n;
    touch(batch, token);
    addTrade(batch, token, { isBuy, quoteAmount, price, account: "0xa", before: { tick: 0, liquidity: 1n } });
    const amounts = { eth_usd: ethUsd, is_buy: isBuy, quote_amount: quoteAmount.toString() };
    trades.push(createTrade(token.id, block, { block_time: time, pool_price: price, ...amounts }));
  }
  await insertAll(database.db, "chain.trades", trades);
  await insertIndex(database.db);
  for (const [index, token] of tokens.entries()) {
    const known = shapes[index]!.isUnknown ? null : 1_999.123_456_789;
    await insertToken(
      database.db,
      token.id,
      { start_price: startPrice, start_eth_usd: known },
      { last_trade_time: token.lastTradeTime },
    );
  }
  await withTransaction(database.db.indexer, (client) => copyNewCandles(client, batch.candles));
  const minutes = [...batch.totals.values()].map(({ t, first_block }) => ({ seconds: 60, t, first_block }));
  await insertAll(database.db, "chain.totals", minutes);
  const head = batch.at.blockNumber;
  await database.db.indexer.query("update chain.checkpoint set block_number = $1, block_time = $2", [
    head,
    start + days * day,
  ]);
  await database.db.indexer.query("insert into chain.headers values ($1, $2, $3, 1, true)", [
    head,
    toHash(1),
    start + days * day,
  ]);
}

beforeAll(async () => {
  database = await startReadDatabase();
  for (const id of [1, 2]) await insertAccount(database.db, id);
  await writeHistory();
  const { rows } = await database.db.indexer.query<Candle>(`select ${columns} from chain.candles order by t desc`);
  expected = Map.groupBy(rows, (row) => `${row.token_id} ${row.seconds}`);
});
afterAll(() => database?.stop());

const count = async () => (await database.db.indexer.query("select count(*)::int as n from chain.candles")).rows[0].n;

/** Compares all series, whole, in pages and in ranges, with the candles that the indexer wrote. */
async function expectEqualCandles(): Promise<void> {
  for (const token of shapes.keys().map((index) => index + 1)) {
    for (const seconds of candleLengths) {
      const series = expected.get(`${token} ${seconds}`)!;
      expect(await read(token, seconds)).toEqual(series);
      for (const limit of [1, 7, 100]) {
        let before = start + days * day + 1;
        for (let page = 0; page < 12; page++) {
          const candles = await read(token, seconds, { before, limit });
          expect(candles).toEqual(series.filter(({ t }) => (t as number) < before).slice(0, limit));
          if (candles.length < limit) break;
          // Not only the starts of candles are positions.
          before = (candles.at(-1)!.t as number) - (page % 2);
        }
      }
      const [from, before] = [start + 2 * day + 77, start + 6 * day + 33];
      expect(await read(token, seconds, { from, before })).toEqual(
        series.filter(({ t }) => (t as number) >= from && (t as number) < before),
      );
    }
  }
}

describe("sparse candles", () => {
  test("C2-87 candles that follow from trades are not stored, and every read returns the same", async () => {
    await expectEqualCandles();
    const before = await count();
    const deleted = await thinCandles(database.db.indexer);
    expect(deleted).toBeGreaterThan(before / 4);
    expect(await count()).toBe(before - deleted);
    await expectEqualCandles();
    expect(await thinCandles(database.db.indexer)).toBe(0);
  });

  test("candles of the last 24 hours stay stored", async () => {
    const since = start + (days - 1) * day;
    const { rows } = await database.db.indexer.query("select count(*)::int as n from chain.candles where t >= $1", [
      since,
    ]);
    const all = [...expected.values()].flat().filter(({ t }) => (t as number) >= since);
    expect(rows[0].n).toBe(all.length);
  });

  test("C2-88 a candle that does not follow from its trades stays", async () => {
    const { indexer } = database.db;
    await indexer.query("update chain.sparse_candles set below_time = 0");
    await indexer.query(
      `insert into chain.candles (token_id, seconds, t, o, h, l, c, n, buys, vq) values (3, 60, $1, 1, 1, 1, 1, 1, 1, 1)
       on conflict do nothing`,
      [Math.floor((start + day) / 60) * 60],
    );
    const stored = await count();
    await thinCandles(indexer);
    expect(await count()).toBe(stored);
    await indexer.query("delete from chain.candles where token_id = 3 and h = 1 and l = 1");
  });

  test("C2-89 candles of detached trades stay", async () => {
    const { indexer } = database.db;
    await orderTrades(indexer, { minTrades: 1, maxTrades: 10 ** 6 });
    const detached = await detachTrades(indexer, { before: start + 30 * day, drop: true });
    expect(detached).toHaveLength(1);
    expect((await indexer.query("select count(*)::int as n from chain.trades")).rows[0].n).toBeLessThan(3);
    await expectEqualCandles();
  });
});
