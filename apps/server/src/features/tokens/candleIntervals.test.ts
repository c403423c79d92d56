import { indexedCandles } from "@slipway/protocol/indexed";
import { usdMicros } from "@slipway/protocol/price";
import { beforeEach, describe, expect, test } from "vitest";
import { seedRandom } from "../../../../../bench/seedRandom.ts";
import {
  createCandle,
  createTrade,
  insertAccount,
  insertAll,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const day = 86_400;
/** A Thursday, 00:00 UTC. */
const launchTime = 2_900 * 7 * day;
const startPrice = 0.002;
const startEthUsd = 2_000;

type Trade = { time: number; price: number; ethUsd: number; isBuy: boolean; quote: bigint; account: number };

/** 700 trades of three weeks, a third of them in the first hour; several are in one second. */
function createTrades(): Trade[] {
  const random = seedRandom(5);
  let time = launchTime;
  let price = startPrice;
  return Array.from({ length: 700 }, (_, n) => {
    time += Math.floor(random() ** 3 * (n < 230 ? 40 : 12_000));
    price *= 0.95 + 0.1 * random();
    const quote = BigInt(Math.floor(random() * 1e15)) + 1n;
    return {
      time,
      price,
      ethUsd: 2_000 + random(),
      isBuy: random() < 0.6,
      quote,
      account: 1 + Math.floor(random() * 5),
    };
  });
}
const trades = createTrades();
const headTime = trades.at(-1)!.time + 100;

/** The start of the interval, counted in days where a week begins on Monday. */
function toStart(time: number, seconds: number): number {
  if (seconds !== 7 * day) return Math.floor(time / seconds) * seconds;
  const date = new Date(time * 1_000);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - sinceMonday) / 1_000;
}

/** The candles of trades, oldest first, without the server's code. */
function toCandles(seconds: number) {
  let open = { price: startPrice, usd: startPrice * startEthUsd };
  return [...Map.groupBy(trades, ({ time }) => toStart(time, seconds))].map(([t, own]) => {
    const prices = [open.price, ...own.map(({ price }) => price)];
    const usd = [open.usd, ...own.map(({ price, ethUsd }) => price * ethUsd)];
    open = { price: prices.at(-1)!, usd: usd.at(-1)! };
    return {
      t,
      prices,
      usd,
      n: own.length,
      buys: own.filter(({ isBuy }) => isBuy).length,
      traders: new Set(own.map(({ account }) => account)).size,
      vq: own.reduce((sum, { quote }) => sum + quote, 0n),
      v: own.reduce((sum, { quote, ethUsd }) => sum + usdMicros(quote, ethUsd)!, 0n),
    };
  });
}

/** The answer that the trades of an interval give. */
const toItems = (seconds: number) =>
  toCandles(seconds).map(({ t, usd, n, buys, traders, vq, v }) => ({
    t,
    o: usd[0],
    h: Math.max(...usd),
    l: Math.min(...usd),
    c: usd.at(-1),
    v: Number(v) / 1e6,
    vq: Number(vq) / 1e18,
    n,
    buys,
    sells: n - buys,
    traders,
  }));

beforeEach(async () => {
  const { db } = fixture.database;
  await insertIndex(db, { head_time: headTime }, { block_time: headTime });
  await insertToken(
    db,
    1,
    { block_time: launchTime, start_price: startPrice, start_eth_usd: startEthUsd },
    { volume_usd: "1" },
  );
  for (const id of [1, 2, 3, 4, 5]) await insertAccount(db, id);
  const tradeRows = trades.map(({ time, price, ethUsd, isBuy, quote, account }, n) =>
    createTrade(1, 200 + n, {
      block_time: time,
      pool_price: price,
      eth_usd: ethUsd,
      is_buy: isBuy,
      quote_amount: quote.toString(),
      account_id: account,
      maker_id: 1 + (n % 2),
    }),
  );
  const candleRows = [60, 300, 3_600, day].flatMap((seconds) =>
    toCandles(seconds).map(({ t, prices, usd, n, buys, vq, v }) =>
      createCandle(1, seconds, t, {
        o: prices[0],
        h: Math.max(...prices),
        l: Math.min(...prices),
        c: prices.at(-1),
        n,
        buys,
        o_usd: usd[0],
        h_usd: Math.max(...usd),
        l_usd: Math.min(...usd),
        c_usd: usd.at(-1),
        vq: vq.toString(),
        v: v.toString(),
      }),
    ),
  );
  const minutes = Map.groupBy(trades.entries(), ([, { time }]) => toStart(time, 60));
  const totals = [...minutes].map(([t, [first]]) => ({ seconds: 60, t, first_block: 200 + first![0] }));
  await insertAll(db, "chain.trades", tradeRows);
  await insertAll(db, "chain.candles", candleRows);
  await insertAll(db, "chain.totals", totals);
});

const getCandles = async (query: string) => {
  const { status, json } = await fixture.read.get(`/tokens/${token}/candles?${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(indexedCandles.parse(json)).toEqual(json);
  return json;
};

/** Reads all pages, oldest first. */
async function readAll(query: string): Promise<any[]> {
  const items: unknown[] = [];
  for (let before = ""; ; ) {
    const page = await getCandles(`${query}${before}`);
    items.unshift(...page.items);
    if (page.next_before === null) return items;
    before = `&before=${page.next_before}`;
  }
}

const lengths = {
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "30m": 1_800,
  "1h": 3_600,
  "4h": 14_400,
  "12h": 43_200,
  "1d": day,
  "1w": 7 * day,
};

describe("candles of further intervals", () => {
  test("each interval equals its trades, also in pages and from any time, with counts", async () => {
    for (const [interval, seconds] of Object.entries(lengths)) {
      const expected = toItems(seconds);
      expect(await readAll(`interval=${interval}`), interval).toEqual(expected);
      if (interval === "1m") continue;
      expect(await readAll(`interval=${interval}&limit=7`), interval).toEqual(expected);
      for (const before of [launchTime, launchTime + 1, launchTime + 5 * day + 1_000, headTime]) {
        const page = (await getCandles(`interval=${interval}&before=${before}&limit=3`)).items;
        expect(page, `${interval} ${before}`).toEqual(expected.filter(({ t }) => t < before).slice(-3));
      }
    }
    expect(new Date(toItems(7 * day)[1]!.t * 1_000).getUTCDay()).toBe(1);
  });

  test("seconds equal the trades of the first 24 hours", async () => {
    const expected = toItems(1).filter(({ t }) => t < launchTime + day);
    expect(expected.length).toBeGreaterThan(150);
    expect(await readAll("interval=1s")).toEqual(expected);
    expect(await readAll("interval=1s&limit=11")).toEqual(expected);
    const before = expected[50]!.t;
    expect((await getCandles(`interval=1s&limit=2&before=${before}`)).items).toEqual(expected.slice(48, 50));
    expect((await getCandles(`interval=1s&before=${launchTime}`)).items).toEqual([]);
  });

  test("C3-05 a second with more trades than a page reads is complete, and pages continue before it", async () => {
    const { indexer } = fixture.database.db;
    const second = launchTime + day - 10;
    await indexer.query(
      `insert into chain.trades select token_id, 5, 10000 + n, $1, pool_price, eth_usd, maker_id, recipient_id, is_buy,
         sha256(n::text::bytea), token_amount, quote_amount, account_id, account_source
       from chain.trades, generate_series(1, 4500) n where block_number = 200`,
      [second],
    );
    await indexer.query("delete from chain.trades where block_time >= $1 and block_number < 10000", [
      launchTime + day - 10,
    ]);
    await indexer.query("update chain.totals set first_block = null where seconds = 60 and t >= $1", [
      launchTime + day - 60,
    ]);
    const page = await getCandles("interval=1s&limit=2");
    const full = page.items.at(-1);
    expect([full.t, full.n, full.traders]).toEqual([second, 4_500, 1]);
    expect(page.next_before).toBe(page.items[0].t);
    const expected = toItems(1).filter(({ t }) => t < second);
    expect(await readAll(`interval=1s&before=${second}`)).toEqual(expected);
  });

  test("C2-99 seconds of removed trades are unavailable, not wrong", async () => {
    await fixture.database.db.indexer.query("update chain.trade_partitions set from_block = 300");
    const { status, json } = await fixture.read.get(`/tokens/${token}/candles?interval=1s`);
    await fixture.database.db.indexer.query("update chain.trade_partitions set from_block = 0");
    expect([status, json.error.code]).toEqual([503, "history_unavailable"]);
  });

  test("counts different accounts of the newest 2,000 trades of a page, and says null before them", async () => {
    const { indexer } = fixture.database.db;
    // The stored candles count trades that are gone.
    await indexer.query("delete from chain.trades where block_number < 400");
    const items = (await getCandles("interval=1d")).items;
    const known = items.filter(({ traders }: any) => traders !== null);
    const expected = toItems(day);
    expect(known.length).toBeGreaterThan(3);
    expect(known.length).toBeLessThan(items.length);
    expect(known).toEqual(expected.slice(-known.length));
    expect(items.slice(0, -known.length).every(({ traders }: any) => traders === null)).toBe(true);
  });
});

describe("candles with fill=true", () => {
  /** Fills the gaps between the trades' candles, one interval after the other. */
  function fill(items: ReturnType<typeof toItems>, seconds: number, end: number) {
    const byStart = new Map(items.map((item) => [item.t, item]));
    const filled: (typeof items)[number][] = [];
    for (let t = items[0]!.t; t <= end; t += seconds) {
      const c = filled.at(-1)?.c;
      const empty = { t, o: c, h: c!, l: c!, c, v: 0, vq: 0, n: 0, buys: 0, sells: 0, traders: 0 };
      filled.push(byStart.get(t) ?? empty);
    }
    return filled;
  }

  test("has a candle for each interval from the first trade to the last indexed block", async () => {
    for (const [interval, seconds] of Object.entries({ "1h": 3_600, "30m": 1_800, "1d": day, "1w": 7 * day })) {
      const expected = fill(toItems(seconds), seconds, toStart(headTime, seconds));
      expect(await readAll(`interval=${interval}&fill=true`), interval).toEqual(expected);
      if (interval !== "30m")
        expect(await readAll(`interval=${interval}&fill=true&limit=37`), interval).toEqual(expected);
      const before = launchTime + 6 * day + 7;
      const page = await getCandles(`interval=${interval}&fill=true&limit=5&before=${before}`);
      expect(page.items).toEqual(expected.filter(({ t }) => t < before).slice(-5));
    }
    const seconds = fill(
      toItems(1).filter(({ t }) => t < launchTime + 2_000),
      1,
      launchTime + 1_999,
    );
    expect((await getCandles(`interval=1s&fill=true&before=${launchTime + 2_000}`)).items).toEqual(seconds.slice(-300));
    const last = (await getCandles("interval=1s&fill=true")).items.at(-1);
    expect([last.t, last.n]).toEqual([launchTime + day - 1, 0]);
  });

  test("has no candle before the first trade, and none of an untraded token", async () => {
    const { db } = fixture.database;
    await insertToken(db, 2, { block_time: launchTime });
    const { json } = await fixture.read.get(`/tokens/${toAddress(1_002)}/candles?fill=true`);
    expect([json.items, json.next_before]).toEqual([[], null]);
    const page = await getCandles(`interval=1m&fill=true&before=${trades[0]!.time + 600}`);
    expect(page.items[0].t).toBe(toStart(trades[0]!.time, 60));
  });

  test.each(["fill=1", "fill=", "fill=TRUE", "interval=2h", "interval=1W", "interval=1M"])(
    "refuses %s",
    async (query) => {
      expect((await fixture.read.get(`/tokens/${token}/candles?${query}`)).json.error.code).toBe("invalid_query");
    },
  );
});
