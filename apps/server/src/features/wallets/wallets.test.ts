import { indexedWallet } from "@slipway/protocol/people";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  headTime,
  insert,
  insertAccount,
  insertEthUsd,
  insertIndex,
  insertToken,
  insertTrade,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { detachTrades, orderTrades } from "../history/partitionQueries.ts";

const fixture = useReadApp();
const wallet = toAddress(0xaaaa);
const account = 1;
const path = `/wallets/${wallet}`;

/** Inserts an index with tokens 1 to `tokens`, whose account 1 is the wallet. */
async function insertTokens(tokens: number): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  for (let id = 1; id <= tokens; id++) await insertToken(db, id);
  await insertAccount(db, account, wallet);
  await insertAccount(db, 2, toAddress(0xbbbb));
}

const insertBalance = (token: number, balance: bigint, owner = account) =>
  insert(fixture.database.db, "chain.balances", { token_id: token, account_id: owner, balance: balance.toString() });

/** Inserts a splitter of a launch, proven by default, with the wallet as its second payee. */
async function insertSplitter(splitter: string, block: number, shareBps: number, proven: boolean | null = true) {
  const { db } = fixture.database;
  await insert(db, "chain.splitters", { address: splitter, proven, block_number: block });
  const row = { splitter, block_number: block };
  await insert(db, "chain.splitter_payees", { ...row, position: 0, payee: toAddress(7), share_bps: 10_000 - shareBps });
  await insert(db, "chain.splitter_payees", { ...row, position: 1, payee: wallet, share_bps: shareBps });
}

const insertReceipt = (block: number, splitter: string, asset: string, amount: bigint) =>
  insert(fixture.database.db, "chain.splitter_receipts", {
    block_number: block,
    log_index: 9,
    splitter,
    asset,
    amount: amount.toString(),
  });

const insertRelease = (block: number, splitter: string, asset: string, amount: bigint, payee = wallet) =>
  insert(fixture.database.db, "chain.splitter_events", {
    block_number: block,
    log_index: 10,
    splitter,
    kind: "released",
    asset,
    account: payee,
    amount: amount.toString(),
    block_time: headTime,
    tx_hash: toHash(block),
  });

async function getWallet(query = "") {
  const { status, json } = await fixture.read.get(`${path}${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(indexedWallet.parse(json)).toEqual(json);
  return json;
}

/** Adds an empty block, after which the read model rebuilds its responses. */
async function moveHead(): Promise<void> {
  const { indexer } = fixture.database.db;
  await indexer.query("update chain.checkpoint set block_number = block_number + 1");
  await indexer.query("update chain.status set head_block = head_block + 1");
  await fixture.read.deps.readModel.sync();
}

/** Reads all pages of a wallet, one after the other. */
async function getPages(): Promise<any[]> {
  const pages = [await getWallet()];
  while (pages.at(-1).next_cursor !== null) {
    pages.push(await getWallet(`?cursor=${encodeURIComponent(pages.at(-1).next_cursor)}`));
  }
  return pages;
}

describe("GET /wallets/{address}", () => {
  test("returns holdings with value and share, launches, and the launched token's name and image", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000);
    await insertToken(db, 1, { creator: wallet, image: "https://a.example/i.png" }, { price: 0.5, market_cap: 10 });
    await insertToken(db, 2, {}, { price: 0.001, changed_block: 4_000, changed_time: headTime - 7 });
    await insertAccount(db, account, wallet);
    await insertBalance(2, 10n ** 25n);
    const found = await getWallet();
    const token2 = {
      address: checksummed(toAddress(1_002)),
      name: "Token 2",
      symbol: "T2",
      name_warning: null,
      image: null,
    };
    expect(found.holdings).toEqual([
      { token: token2, amount: (10n ** 25n).toString(), value_usd: 20_000_000, share_of_supply: 0.01 },
    ]);
    expect(found.launches).toEqual([
      {
        token: {
          address: checksummed(toAddress(1_001)),
          name: "Token 1",
          symbol: "T1",
          name_warning: null,
          image: "https://a.example/i.png",
        },
        splitter: checksummed(toAddress(4_001)),
        launched_at: new Date((headTime - 89_999) * 1000).toISOString(),
        block_number: 101,
        tx_hash: toHash(1),
        market_cap_usd: 20_000,
      },
    ]);
    expect([found.recipient_of, found.trades, found.next_cursor]).toEqual([[], [], null]);
    expect(found.as_of).toEqual({
      block_number: 4_000,
      timestamp: new Date((headTime - 7) * 1000).toISOString(),
      finality: "soft",
    });
  });

  test("responds for any address, with zeros and not nulls for an unindexed one", async () => {
    await insertIndex(fixture.database.db);
    const found = await getWallet();
    expect(found.profit).toEqual({ method: "average_cost", realized_usd: 0, realized_eth: 0 });
    expect([found.holdings, found.launches, found.recipient_of, found.trades]).toEqual([[], [], [], []]);
    const zero = await fixture.read.get(`/wallets/${toAddress(0)}`);
    expect([zero.status, zero.json.error.code]).toEqual([400, "invalid_address"]);
  });

  test("returns the profit of all tokens, and null where it is unknown", async () => {
    await insertTokens(1);
    const { db } = fixture.database;
    const realized = { realized_quote: (-15n * 10n ** 17n).toString(), realized_usd: "-3000500000" };
    await insert(db, "chain.traders", { token_id: 0, account_id: account, last_time: headTime, ...realized });
    expect((await getWallet()).profit).toEqual({ method: "average_cost", realized_usd: -3_000.5, realized_eth: -1.5 });
    await db.indexer.query("update chain.traders set realized_usd = null");
    await moveHead();
    expect((await getWallet()).profit).toEqual({ method: "average_cost", realized_usd: null, realized_eth: -1.5 });
  });

  test("returns the settled minus the released amounts of both assets, without donations", async () => {
    await insertTokens(1);
    const [splitter, token] = [toAddress(4_001), toAddress(1_001)];
    await insertSplitter(splitter, 101, 2_500);
    await insertReceipt(200, splitter, token, 1_000n);
    await insertReceipt(201, splitter, wrappedNative, 999n);
    await insertReceipt(202, splitter, wrappedNative, -199n);
    // Releases to another payee, of another asset, and of a part of the share; later ones exceed it by donations.
    await insertRelease(203, splitter, token, 700n, toAddress(7));
    await insertRelease(204, splitter, toAddress(0x99), 5n);
    await insertRelease(205, splitter, wrappedNative, 150n);
    const { recipient_of } = await getWallet();
    expect(recipient_of).toEqual([
      {
        token: { address: checksummed(token), name: "Token 1", symbol: "T1", name_warning: null, image: null },
        splitter: checksummed(splitter),
        share_bps: 2_500,
        claimable: [
          { asset: checksummed(token), amount: "250" },
          { asset: checksummed(wrappedNative), amount: "50" },
        ],
      },
    ]);
    await insertRelease(206, splitter, wrappedNative, 60n);
    await insertRelease(207, splitter, token, 250n);
    await moveHead();
    const amounts = (await getWallet()).recipient_of[0].claimable.map(({ amount }: any) => amount);
    expect(amounts).toEqual(["0", "0"]);
  });

  test("lists a splitter of several launches once per launch, and no unproven splitter", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const [shared, unproven] = [toAddress(0x51), toAddress(0x52)];
    for (const id of [1, 2, 3]) await insertToken(db, id, { splitter: id === 2 ? unproven : shared });
    await insertSplitter(shared, 101, 100);
    await insertSplitter(unproven, 102, 100, false);
    const { recipient_of } = await getWallet();
    expect(recipient_of.map(({ token }: any) => token.symbol)).toEqual(["T3", "T1"]);
  });

  test("lists the wallet's own trades with their tokens, newest first", async () => {
    await insertTokens(2);
    const { db } = fixture.database;
    await insertTrade(db, 1, 200);
    await insertTrade(db, 2, 201, { is_buy: false });
    await insertTrade(db, 2, 202, { maker_id: 2, recipient_id: 1 });
    // A relayer sent the wallet's trade, and the wallet sent a trade of another account.
    await insertTrade(db, 1, 203, { maker_id: 2, account_id: 1, account_source: "user_operation" });
    await insertTrade(db, 1, 204, { maker_id: 1, account_id: 2 });
    const { trades } = await getWallet();
    expect(trades.map(({ block_number, side, token }: any) => [block_number, side, token.symbol])).toEqual([
      [203, "buy", "T1"],
      [201, "sell", "T2"],
      [200, "buy", "T1"],
    ]);
    const other = checksummed(toAddress(0xbbbb));
    const account = checksummed(wallet);
    expect(trades[0]).toMatchObject({ maker: other, recipient: other, account, account_source: "user_operation" });
    expect(trades[1]).toMatchObject({ maker: account, recipient: other, account, account_source: "transfers" });
  });

  test("says from which block its trades are complete after old trades were detached", async () => {
    await insertTokens(2);
    const { db } = fixture.database;
    for (let block = 200; block < 220; block++) await insertTrade(db, 1 + (block % 2), block, { block_time: block });
    onTestFinished(async () => void (await db.indexer.query("select chain.reset_trades()")));
    expect((await getWallet()).trades_from_block).toBeNull();
    await db.indexer.query("insert into chain.headers values (210, 'hash', 210, 1, true) on conflict do nothing");
    const limits = { minTrades: 1, maxTrades: 1_000 };
    expect(await orderTrades(db.indexer, limits)).toBe(10);
    await detachTrades(db.indexer, { before: 210, drop: true });
    await moveHead();
    const { trades, trades_from_block } = await getWallet();
    expect(trades_from_block).toBe(210);
    expect(trades.map(({ block_number }: any) => block_number)).toEqual(Array.from({ length: 10 }, (_, n) => 219 - n));
  });

  test("C4-48 pages visit every entry of every list once, whatever the lengths of the lists", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const shared = toAddress(0x51);
    for (let id = 1; id <= 120; id++) {
      const splitter = id % 3 === 0 ? shared : toAddress(4_000 + id);
      await insertToken(db, id, { creator: id <= 51 ? wallet : toAddress(3), splitter });
      if (id % 3 !== 0) await insertSplitter(splitter, 100 + id, 100);
    }
    await insertSplitter(shared, 150, 100);
    await insertAccount(db, account, wallet);
    await insertAccount(db, 2, toAddress(0xbbbb));
    for (let id = 1; id <= 100; id++) await insertBalance(id, BigInt(id));
    for (let n = 0; n < 101; n++) {
      await insertTrade(db, 1 + (n % 7), 1_000 + Math.floor(n / 2), { log_index: n % 2, tx_hash: toBytes(n) });
    }
    const pages = await getPages();
    expect(pages).toHaveLength(3);
    const symbols = (list: string) => pages.flatMap((page) => page[list].map(({ token }: any) => token.symbol));
    expect(symbols("holdings")).toEqual(Array.from({ length: 100 }, (_, n) => `T${100 - n}`));
    expect(symbols("launches")).toEqual(Array.from({ length: 51 }, (_, n) => `T${51 - n}`));
    expect(new Set(symbols("recipient_of")).size).toBe(120);
    expect(symbols("recipient_of")).toHaveLength(120);
    const trades = pages.flatMap((page) => page.trades.map((trade: any) => [trade.block_number, trade.log_index]));
    expect(trades).toHaveLength(101);
    expect(trades).toEqual(trades.toSorted((a, b) => b[0] - a[0] || b[1] - a[1]));
    for (const page of pages)
      for (const list of Object.values(page).filter(Array.isArray)) {
        expect(list.length).toBeLessThanOrEqual(50);
      }
  });

  test.each([1, 3, 49, 50, 51, 130])(
    "C4-48 pages visit every trade once where a block has %d trades of the wallet",
    async (each) => {
      const { db } = fixture.database;
      await insertTokens(3);
      for (let n = 0; n < 130; n++) {
        const place = { log_index: 5 + (n % each), tx_hash: toBytes(n) };
        await insertTrade(db, 1 + (n % 3), 1_000 + Math.floor(n / each), place);
        // Trades of another wallet, in the same blocks.
        if (n % 10 === 0) await insertTrade(db, 1, 1_000 + Math.floor(n / each), { log_index: 500 + n, maker_id: 2 });
      }
      const pages = await getPages();
      const trades = pages.flatMap((page) => page.trades.map((trade: any) => [trade.block_number, trade.log_index]));
      const inserted = Array.from({ length: 130 }, (_, n) => [1_000 + Math.floor(n / each), 5 + (n % each)]);
      expect(trades).toEqual(inserted.toSorted((a, b) => b[0]! - a[0]! || b[1]! - a[1]!));
      expect(pages.map((page) => page.trades.length)).toEqual([50, 50, 30]);
    },
  );

  test("C4-49 a forged cursor is refused or only a position; a cursor of a removed entry expires", async () => {
    await insertTokens(2);
    await insertBalance(1, 5n);
    const { db } = fixture.database;
    await insertTrade(db, 1, 200);
    const get = async (cursor: string) => {
      const { status, json } = await fixture.read.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
      return [status, json.error?.code ?? json.holdings.length];
    };
    for (const cursor of [
      "x",
      "~~",
      "~~~~",
      "0x12~~~",
      "~~~0x12:1",
      `${toAddress(1_001).toUpperCase()}~~~`,
      "%00~~~",
    ]) {
      expect(await get(cursor), cursor).toEqual([400, "invalid_query"]);
    }
    // A token that the wallet does not hold is also a position.
    expect(await get(`${toAddress(1_002)}~~~`)).toEqual([200, 1]);
    for (const cursor of [
      `${toAddress(5)}~~~`,
      `~${toAddress(5)}~~`,
      `~~${toAddress(1_001)}~`,
      `~~~${toHash(9)}:1`,
      `~~~${toHash(200)}:2`,
    ]) {
      expect(await get(cursor), cursor).toEqual([400, "cursor_expired"]);
    }
    const cursor = `-~-~-~${toHash(200)}:1`;
    expect(await get(cursor)).toEqual([200, 0]);
    // A reorganisation between two pages.
    await db.indexer.query("delete from chain.trades");
    await moveHead();
    expect(await get(cursor)).toEqual([400, "cursor_expired"]);
  });

  test("is cached by its ETag until something changes, including a release", async () => {
    await insertTokens(1);
    const splitter = toAddress(4_001);
    await insertSplitter(splitter, 101, 5_000);
    await insertReceipt(200, splitter, wrappedNative, 100n);
    const first = await fixture.read.get(path);
    expect(first.headers["cache-control"]).toBe("public, max-age=10");
    const again = await fixture.read.get(path, { "if-none-match": first.headers.etag });
    expect(again.status).toBe(304);
    await insertRelease(201, splitter, wrappedNative, 50n);
    await moveHead();
    expect((await getWallet()).recipient_of[0].claimable[1].amount).toBe("0");
  });
});

const toBytes = (n: number) => Buffer.from(toHash(0x7000 + n).slice(2), "hex");
