import { indexedCandles, indexedTrades } from "@slipway/protocol/indexed";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, test } from "vitest";
import {
  headTime,
  insertAccount,
  insertCandle,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);

async function insertTraded(trades: number): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  await insertAccount(db, 1, toAddress(0xaaaa));
  await insertAccount(db, 2, toAddress(0xbbbb));
  for (let n = 0; n < trades; n++) await insertTrade(db, 1, 200 + n);
}

describe("GET /tokens/{address}/trades", () => {
  test("returns exact amounts, the execution price and the value", async () => {
    await insertTraded(1);
    const { status, json } = await fixture.read.get(`/tokens/${token}/trades`);
    expect(status).toBe(200);
    expect(indexedTrades.parse(json)).toEqual(json);
    expect(json.items).toEqual([
      {
        id: `${toHash(200)}:1`,
        tx_hash: toHash(200),
        log_index: 1,
        block_number: 200,
        block_timestamp: new Date((headTime - 100) * 1000).toISOString(),
        side: "buy",
        maker: checksummed(toAddress(0xaaaa)),
        recipient: checksummed(toAddress(0xbbbb)),
        account: checksummed(toAddress(0xaaaa)),
        account_source: "transfers",
        token_amount: "2000000000000000000",
        quote_amount: "500000000000000000",
        price_eth: 0.25,
        price_eth_exact: "0.25",
        price_usd: 500,
        volume_usd: 1_000,
      },
    ]);
  });

  test("returns null USD figures where ETH/USD was unknown, and never a price of zero", async () => {
    await insertTraded(0);
    await insertTrade(fixture.database.db, 1, 300, { eth_usd: null, is_buy: false });
    await insertTrade(fixture.database.db, 1, 301, { token_amount: "0" });
    await insertTrade(fixture.database.db, 1, 302, { token_amount: "1", quote_amount: (2n ** 255n).toString() });
    const { items } = (await fixture.read.get(`/tokens/${token}/trades`)).json;
    expect(items[2]).toMatchObject({ side: "sell", price_eth: 0.25, price_usd: null, volume_usd: null });
    expect(items[1]).toMatchObject({ price_eth: null, price_usd: null });
    expect(Number.isFinite(items[0].price_eth)).toBe(true);
    expect(items[0].quote_amount).toBe((2n ** 255n).toString());
  });

  test("returns descending chain order, 50 by default, up to 300", async () => {
    await insertTraded(310);
    const blocks = async (query: string) =>
      (await fixture.read.get(`/tokens/${token}/trades${query}`)).json.items.map((item: any) => item.block_number);
    const newestFirst = Array.from({ length: 310 }, (_, n) => 509 - n);
    expect(await blocks("")).toEqual(newestFirst.slice(0, 50));
    expect(await blocks("?limit=1")).toEqual([509]);
    expect(await blocks("?limit=300")).toEqual(newestFirst.slice(0, 300));
  });

  test("ends within a block at the limit, without trades of another token", async () => {
    const { db } = fixture.database;
    await insertTraded(0);
    await insertToken(db, 2);
    const places = [
      [200, 7],
      [201, 2],
      [201, 10],
      [201, 11],
      [203, 0],
      [203, 4],
    ] as const;
    for (const [block, log_index] of places) {
      for (const id of [1, 2]) await insertTrade(db, id, block, { log_index: log_index + 100 * (id - 1) });
    }
    const newestFirst = places.map(([block, log]) => `${block}:${log}`).reverse();
    for (let limit = 1; limit <= places.length + 1; limit++) {
      const { items } = (await fixture.read.get(`/tokens/${token}/trades?limit=${limit}`)).json;
      expect(items.map((item: any) => `${item.block_number}:${item.log_index}`)).toEqual(newestFirst.slice(0, limit));
    }
  });

  test("returns maker, recipient and account of each trade", async () => {
    const { db } = fixture.database;
    await insertTraded(0);
    await insertAccount(db, 3, toAddress(0xcccc));
    const wallets = [
      [1, 1, 1],
      [2, 3, 1],
      [3, 1, 3],
      [1, 2, 2],
    ] as const;
    for (const [n, [maker_id, recipient_id, account_id]] of wallets.entries()) {
      await insertTrade(db, 1, 200 + n, { maker_id, recipient_id, account_id });
    }
    const name = (id: number) => checksummed(toAddress([0xaaaa, 0xbbbb, 0xcccc][id - 1]!));
    const { items } = (await fixture.read.get(`/tokens/${token}/trades`)).json;
    expect(items.map((item: any) => [item.maker, item.recipient, item.account])).toEqual(
      wallets.map((ids) => ids.map(name)).reverse(),
    );
  });

  test("returns the maker as the account of a trade that an earlier version indexed", async () => {
    const { db } = fixture.database;
    await insertTraded(0);
    await insertTrade(db, 1, 200, { account_id: null, account_source: null });
    for (const query of ["", "?side=buy"]) {
      const { items } = (await fixture.read.get(`/tokens/${token}/trades${query}`)).json;
      expect(items).toMatchObject([{ account: checksummed(toAddress(0xaaaa)), account_source: "sender" }]);
    }
    const { trades } = (await fixture.read.get(`/tokens/${token}`)).json;
    expect(trades).toMatchObject([{ account: checksummed(toAddress(0xaaaa)), account_source: "sender" }]);
  });

  test("returns an empty list for a token without trades", async () => {
    await insertTraded(0);
    expect((await fixture.read.get(`/tokens/${token}/trades`)).json).toEqual({ items: [], next_before: null });
  });

  test.each(["limit=0", "limit=301", "limit=x", "limit="])("rejects %s", async (query) => {
    const { status, json } = await fixture.read.get(`/tokens/${token}/trades?${query}`);
    expect([status, json.error.code]).toEqual([400, "invalid_query"]);
  });
});

describe("GET /tokens/{address}/candles", () => {
  const counts = { n: 3, buys: 2, sells: 1, traders: null };
  const candles = async (query = "") => await fixture.read.get(`/tokens/${token}/candles${query}`);

  test("returns candles oldest first, in USD where the value of every trade is known", async () => {
    await insertTraded(0);
    const hour = headTime - (headTime % 3_600);
    for (const age of [0, 2, 5]) await insertCandle(fixture.database.db, 1, 3_600, hour - age * 3_600);
    const { status, json } = await candles();
    expect(status).toBe(200);
    expect(indexedCandles.parse(json)).toEqual(json);
    expect(json).toMatchObject({ interval: "1h", price_usd_available: true, quote: "usd", next_before: null });
    expect(json.items).toEqual(
      [5, 2, 0].map((age) => ({ t: hour - age * 3_600, o: 10, h: 30, l: 5, c: 20, v: 2_000, vq: 1, ...counts })),
    );
  });

  test("C2-17 falls back to wrapped native for the whole series when one value is unknown", async () => {
    const { db } = fixture.database;
    await insertTraded(0);
    for (const age of [0, 1, 2]) await insertCandle(db, 1, 60, headTime - age * 60);
    await insertCandle(db, 1, 60, headTime - 180, { v: null, o_usd: null, h_usd: null, l_usd: null, c_usd: null });
    await db.indexer.query("update chain.token_state set volume_usd = null");
    for (const query of ["?interval=1m", "?interval=1m&limit=2"]) {
      const { json } = await candles(query);
      expect(indexedCandles.parse(json)).toEqual(json);
      expect(json).toMatchObject({ price_usd_available: false, quote: "eth" });
      expect(json.items.at(-1)).toEqual({ t: headTime, o: 1, h: 3, l: 0.5, c: 2, v: null, vq: 1, ...counts });
      expect(json.items.every((item: any) => item.v === null)).toBe(true);
    }
  });

  test("uses wrapped native when only the launch's price in USD is unknown", async () => {
    await insertTraded(0);
    await insertCandle(fixture.database.db, 1, 3_600, headTime - (headTime % 3_600), { o_usd: null });
    expect((await candles()).json).toMatchObject({ price_usd_available: false, quote: "eth" });
  });

  test("returns an empty list for an untraded token", async () => {
    await insertTraded(0);
    expect((await candles()).json).toEqual({
      interval: "1h",
      items: [],
      price_usd_available: true,
      quote: "usd",
      next_before: null,
    });
  });

  test("returns the latest candles up to the limit, 300 by default, and pages back with `before`", async () => {
    await insertTraded(0);
    const last = headTime - (headTime % 300);
    for (let n = 0; n < 305; n++) await insertCandle(fixture.database.db, 1, 300, last - n * 300);
    const all = (await candles("?interval=5m")).json;
    expect(all.items).toHaveLength(300);
    expect(all.items.at(-1).t).toBe(last);
    expect(all.next_before).toBe(last - 299 * 300);
    const rest = (await candles(`?interval=5m&before=${all.next_before}`)).json;
    expect(rest.items.map((item: any) => item.t)).toEqual([304, 303, 302, 301, 300].map((n) => last - n * 300));
    expect(rest.next_before).toBeNull();
    expect((await candles("?interval=5m&limit=1")).json.items).toHaveLength(1);
    expect((await candles("?interval=1d")).json.items).toEqual([]);
  });

  test("returns only candles that start before `before`, of the token and interval", async () => {
    const { db } = fixture.database;
    await insertTraded(0);
    await insertToken(db, 2);
    const last = headTime - (headTime % 300);
    const starts = [0, 1, 3, 4].map((age) => last - age * 300);
    for (const t of starts) await insertCandle(db, 1, 300, t);
    for (let age = 0; age < 5; age++) {
      await insertCandle(db, 2, 300, last - age * 300);
      await insertCandle(db, 1, 60, last - age * 300);
    }
    for (const before of [
      last + 1,
      last,
      last - 1,
      last - 300,
      last - 600,
      last - 900,
      last - 1_199,
      last - 1_200,
      0,
    ]) {
      for (const limit of [1, 2, 3, 4, 5]) {
        const earlier = starts.filter((t) => t < before);
        const page = earlier.slice(0, limit).reverse();
        const { items, next_before } = (await candles(`?interval=5m&before=${before}&limit=${limit}`)).json;
        expect(items.map((item: any) => item.t)).toEqual(page);
        expect(next_before).toBe(earlier.length > limit ? page[0] : null);
      }
    }
  });

  test.each([
    "interval=2m",
    "interval=",
    "interval=1H",
    "limit=0",
    "limit=301",
    "before=",
    "before=-1",
    "before=1.5",
    "before=x",
    "before=1234567890123",
  ])("rejects %s", async (query) => {
    const { status, json } = await candles(`?${query}`);
    expect([status, json.error.code]).toEqual([400, "invalid_query"]);
  });
});
