import { indexedTrades } from "@slipway/protocol/indexed";
import { tokenHolders } from "@slipway/protocol/people";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, test } from "vitest";
import {
  feeLockerAccount,
  headTime,
  insert,
  insertAccount,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const maker = toAddress(0xaaaa);
const toBytes = (n: number) => Buffer.from(toHash(n).slice(2), "hex");

async function insertTokens(): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  await insertToken(db, 2);
  await insertAccount(db, 1, maker);
  await insertAccount(db, 2, toAddress(0xbbbb));
}

async function getTrades(query: string) {
  const { status, json } = await fixture.read.get(`/tokens/${token}/trades${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(indexedTrades.parse(json)).toEqual(json);
  return json;
}

/** Returns the blocks of each page. */
async function getAllBlocks(query: string) {
  const pages = [];
  for (let before = ""; ; ) {
    const page = await getTrades(`?${query}${before}`);
    pages.push(page.items.map(({ block_number }: any) => block_number));
    if (page.next_before === null) return pages;
    before = `&before=${page.next_before}`;
  }
}

describe("GET /tokens/{address}/trades", () => {
  test("has next_before from the first page on, null on the last one", async () => {
    await insertTokens();
    const { db } = fixture.database;
    for (const block of [200, 201, 202]) await insertTrade(db, 1, block);
    for (const query of ["limit=2", "limit=2&side=buy"]) {
      expect((await getTrades(`?${query}`)).next_before).toBe(`${toHash(201)}:1`);
      expect(await getAllBlocks(query)).toEqual([[202, 201], [200]]);
    }
    for (const query of ["", "?limit=3", "?side=sell"]) expect((await getTrades(query)).next_before).toBeNull();
  });

  test("pages by before visit every trade once, also within a block, and apply the filters", async () => {
    await insertTokens();
    const { db } = fixture.database;
    for (let n = 0; n < 25; n++) {
      await insertTrade(db, 1 + (n % 5 === 4 ? 1 : 0), 200 + Math.floor(n / 2), {
        log_index: n % 2,
        tx_hash: toBytes(9_000 + n),
        is_buy: n % 3 !== 0,
        maker_id: 1 + (n % 2),
      });
    }
    const numbers = Array.from({ length: 25 }, (_, n) => 24 - n).filter((n) => n % 5 !== 4);
    const blocks = (keep: (n: number) => boolean) => numbers.filter(keep).map((n) => 200 + Math.floor(n / 2));
    const last = `before=${toHash(0xffff)}:0`;
    expect((await fixture.read.get(`/tokens/${token}/trades?${last}`)).json.error.code).toBe("cursor_expired");
    expect((await getAllBlocks("limit=3&side=buy")).flat()).toEqual(blocks((n) => n % 3 !== 0));
    expect((await getAllBlocks("limit=3&side=sell")).flat()).toEqual(blocks((n) => n % 3 === 0));
    expect((await getAllBlocks(`limit=3&maker=${maker}`)).flat()).toEqual(blocks((n) => n % 2 === 0));
    expect((await getAllBlocks(`limit=2&maker=${checksummed(maker)}&side=buy`)).flat()).toEqual(
      blocks((n) => n % 2 === 0 && n % 3 !== 0),
    );
    expect(await getAllBlocks(`maker=${toAddress(0xcccc)}`)).toEqual([[]]);
    // The other account made every third trade that the maker sent.
    await db.indexer.query("update chain.trades set account_id = case when block_number % 3 = 0 then 2 else 1 end");
    const isOwn = (n: number) => (200 + Math.floor(n / 2)) % 3 !== 0;
    expect((await getAllBlocks(`limit=3&account=${maker}`)).flat()).toEqual(blocks(isOwn));
    expect((await getAllBlocks(`limit=2&account=${checksummed(maker)}&side=buy&maker=${maker}`)).flat()).toEqual(
      blocks((n) => isOwn(n) && n % 2 === 0 && n % 3 !== 0),
    );
    expect(await getAllBlocks(`account=${toAddress(0xcccc)}`)).toEqual([[]]);
    // A trade of another token is also a position on the chain.
    expect((await getAllBlocks(`limit=300&before=${toHash(9_014)}:0`)).flat()).toEqual(blocks((n) => n < 14));
  });

  test("C4-50 a page reads a bounded number of trades, however few pass the filter", async () => {
    await insertTokens();
    const { db } = fixture.database;
    // The wanted trade is the oldest of many.
    await insertTrade(db, 1, 150, { is_buy: false });
    await db.indexer.query(`insert into chain.trades select token_id, 0, 200 + n, block_time, pool_price, eth_usd, 1, 1, true,
      sha256(n::text::bytea), token_amount, quote_amount, 1, 'transfers' from chain.trades, generate_series(1, 1200) n`);
    expect(await getAllBlocks("side=sell")).toEqual([[], [], [150]]);
    await db.indexer.query(`insert into chain.trades select 2, 0, 2000 + n, block_time, pool_price, eth_usd, 1, 1, true,
      sha256(('b' || n)::bytea), token_amount, quote_amount, 1, 'transfers' from chain.trades, generate_series(1, 9000) n where block_number = 150`);
    for (const filter of [`maker=${maker}`, `account=${maker}`, `account=${maker}&maker=${maker}`]) {
      expect(await getAllBlocks(`${filter}&limit=300&side=sell`), filter).toEqual([[], [], [150]]);
    }
  });

  test("C4-49 refuses an invalid id, and the id of a removed trade", async () => {
    await insertTokens();
    const { db } = fixture.database;
    await insertTrade(db, 1, 200);
    const id = `${toHash(200)}:1`;
    const get = async (before: string) => {
      const { status, json } = await fixture.read.get(`/tokens/${token}/trades?before=${before}`);
      return [status, json.error?.code ?? json.items.length];
    };
    for (const before of ["", "x", toHash(200), `${toHash(200)}:`, `${toHash(200)}:-1`, `${toHash(200)}:9999999999`]) {
      expect(await get(encodeURIComponent(before)), before).toEqual([400, "invalid_query"]);
    }
    expect(await get(id)).toEqual([200, 0]);
    expect(await get(`${toHash(200)}:999999999`)).toEqual([400, "cursor_expired"]);
    await db.indexer.query("delete from chain.trades");
    await db.indexer.query(`insert into chain.outbox (block_number, kind, payload) values (200, 'retracted',
      '{"above_block": 199, "trades": [], "launches": [], "tokens": ["${token}"]}')`);
    await fixture.read.deps.readModel.sync();
    expect(await get(id)).toEqual([400, "cursor_expired"]);
  });
});

describe("GET /tokens/{address}/holders", () => {
  const insertBalance = (account: number, balance: bigint) =>
    insert(fixture.database.db, "chain.balances", { token_id: 1, account_id: account, balance: balance.toString() });
  const getHolders = async (query = "") => {
    const { status, json } = await fixture.read.get(`/tokens/${token}/holders${query}`);
    expect([status, json.error]).toEqual([200, undefined]);
    expect(tokenHolders.parse(json)).toEqual(json);
    return json;
  };

  test("lists every balance with its share, and labels pool, locker, splitter and burn addresses", async () => {
    await insertTokens();
    const { db } = fixture.database;
    const places: [string, string | null][] = [
      [toAddress(2_001), "pool"],
      [feeLockerAccount, "locker"],
      [toAddress(4_001), "splitter"],
      [toAddress(0), "burn"],
      [toAddress(0xdead), "burn"],
      // The pool of another token has no label here.
      [toAddress(2_002), null],
      [toAddress(0xaaaa_aaaa), null],
    ];
    for (const [i, [address]] of places.entries()) {
      await insertAccount(db, 10 + i, address);
      await insertBalance(10 + i, 5n * 10n ** BigInt(26 - i));
    }
    const { items, next_cursor, as_of } = await getHolders();
    expect(items).toEqual(
      places.map(([address, label], i) => ({
        address: checksummed(address),
        amount: (5n * 10n ** BigInt(26 - i)).toString(),
        share_of_supply: expect.closeTo(0.5 / 10 ** i, 12),
        label,
      })),
    );
    expect([next_cursor, as_of.block_number]).toEqual([null, 101]);
  });

  test("counts accounts that came and left over 1 hour, 24 hours and 7 days, by minute", async () => {
    await insertTokens();
    const ages: [seconds: number, came: number, gone: number][] = [
      ...([
        [0, 3, 1],
        [3_540, 2, 0],
        [3_600, 5, 0],
        [86_340, 0, 4],
      ] as [number, number, number][]),
      ...([
        [86_400, 7, 0],
        [604_740, 1, 1],
        [604_800, 100, 0],
      ] as [number, number, number][]),
    ];
    for (const [age, came, gone] of ages) {
      await insert(fixture.database.db, "chain.holder_minutes", { token_id: 1, t: headTime - age, came, gone });
      await insert(fixture.database.db, "chain.holder_minutes", { token_id: 2, t: headTime - age, came: 50, gone: 50 });
    }
    expect((await getHolders()).changes).toEqual({
      h1: { came: 5, left: 1, net: 4 },
      h24: { came: 10, left: 5, net: 5 },
      d7: { came: 18, left: 6, net: 12 },
    });
  });

  test("has no changes while an index of an earlier version is read", async () => {
    await insertTokens();
    await fixture.database.db.indexer.query("update chain.checkpoint set rules = null");
    expect((await getHolders()).changes).toBeNull();
  });

  test("divides all holders and their balances into bands by share", async () => {
    await insertTokens();
    const { db } = fixture.database;
    // In parts of 100,000 of the supply. The pool has the rest.
    const shares = [20_000, 10_000, 9_999, 1_000, 999, 100, 99, 1, 1];
    const unit = 10n ** 22n;
    for (const [n, share] of shares.entries()) {
      await insertAccount(db, 100 + n, toAddress(0x7000 + n));
      await insertBalance(100 + n, BigInt(share) * unit);
    }
    const total = shares.reduce((sum, share) => sum + share, 0);
    for (const [id, address, share] of [
      [50, toAddress(2_001), 100_000 - total - 300],
      [51, toAddress(0xdead), 300],
    ] as const) {
      await insertAccount(db, id, address);
      await insertBalance(id, BigInt(share) * unit);
    }
    await db.indexer.query("update chain.token_state set holders = 9 where token_id = 1");
    const { holders, distribution } = await getHolders();
    expect(holders).toBe(9);
    const toBand = (min_share: number, max_share: number | null, count: number, parts: number) => ({
      min_share,
      max_share,
      holders: count,
      amount: (BigInt(parts) * unit).toString(),
      share_of_supply: expect.closeTo(parts / 100_000, 12),
    });
    expect(distribution).toEqual([
      ...[
        toBand(0, 0.001, 3, 101),
        toBand(0.001, 0.01, 2, 1_099),
        toBand(0.01, 0.1, 2, 10_999),
        toBand(0.1, null, 2, 30_000),
      ],
    ]);
  });

  test("C4-48 pages visit every balance once, also many equal balances", async () => {
    await insertTokens();
    const { db } = fixture.database;
    const all: string[] = [];
    for (let n = 0; n < 23; n++) {
      await insertAccount(db, 100 + n, toAddress(0x5000 + n));
      await insertBalance(100 + n, n < 20 ? 1n : 10n ** 20n);
      all.push(checksummed(toAddress(0x5000 + n)));
    }
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await getHolders(`?limit=4${cursor}`);
      expect(page.items.length).toBeLessThanOrEqual(4);
      found.push(...page.items.map(({ address }: any) => address));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    expect(found).toEqual(all.toReversed());
  });

  test("C4-49 a forged cursor is refused or is only a position in the list", async () => {
    await insertTokens();
    await insertBalance(1, 7n);
    const get = async (cursor: string) => {
      const { status, json } = await fixture.read.get(`/tokens/${token}/holders?cursor=${encodeURIComponent(cursor)}`);
      return [status, json.error?.code ?? json.items.length];
    };
    for (const cursor of ["", "x", "1", "1~0x12", `-1~${maker}`, `1~${maker}~`, `${"9".repeat(79)}~${maker}`]) {
      expect(await get(cursor), cursor).toEqual([400, "invalid_query"]);
    }
    expect(await get(`1~${toAddress(0xcccc)}`)).toEqual([400, "cursor_expired"]);
    expect(await get(`${"9".repeat(78)}~${maker}`)).toEqual([200, 1]);
    expect(await get(`7~${maker}`)).toEqual([200, 0]);
  });

  test("answers 404 for a token that is not indexed", async () => {
    await insertTokens();
    for (const path of ["holders", "trades?side=buy"]) {
      const { status, json } = await fixture.read.get(`/tokens/${toAddress(9)}/${path}`);
      expect([status, json.error.code]).toEqual([404, "token_not_indexed"]);
    }
  });
});
