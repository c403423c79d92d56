import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  explainStatements,
  type PlanNode,
  pagesTouched,
  rowsRead,
  wholeReads,
} from "../../../../../bench/queryPlan.ts";
import { seedIndex } from "../../../../../bench/seedIndex.ts";
import { seededAddress, seededWallet } from "../../../../../bench/seedModel.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { headTime } from "../../../../../tests/support/server/rows.ts";
import { readTradePage } from "../../history/tradePageQueries.ts";
import { listEarningTokens } from "../fees/earningQueries.ts";
import { readHolders } from "../tokens/holderQueries.ts";
import { readWallet } from "./queries.ts";
import { readReleases } from "./releaseQueries.ts";

const tokens = 5_000;
/**
 * A wallet that holds every token, launched half of them, is paid by every splitter, and trades more than all others.
 */
const whale = seededWallet(1);
const start = { holdings: "", launches: "", receipts: "", trades: "" };

let database: ReadDatabase;
let client: pg.Client;
let lastTrade: string;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await seedIndex(indexer, { tokens, trades: 20_000, headTime });
  await indexer.query("delete from chain.balances where account_id = 1");
  await indexer.query("insert into chain.balances select id, 1, id * 1000 from chain.tokens");
  await indexer.query("update chain.tokens set creator = $1 where id % 2 = 0", [whale]);
  // A fifth of the launches share one splitter.
  await indexer.query(`insert into chain.splitter_payees select splitter, 1, $1, 100, id from chain.tokens`, [whale]);
  await indexer.query(
    "update chain.tokens set splitter = (select splitter from chain.tokens where id = 7) where id % 5 = 0",
  );
  await indexer.query("delete from chain.splitter_payees where splitter not in (select splitter from chain.tokens)");
  await indexer.query(`insert into chain.trades
    select 1 + n % ${tokens}, 7, 100000 + n, ${headTime}, 1, 2000, 1, 2, n % 3 = 0, sha256(n::text::bytea), 5, 5, 1, 'transfers'
    from generate_series(1, 40000) n`);
  await indexer.query(`
    insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
    select sha256(address::bytea), address, 'image/webp', 1, 1, 1, false, '', '#000000' from chain.tokens`);
  await indexer.query(
    "insert into app.token_images (token, uri, sha256) select address, 'ipfs://x', sha256(address::bytea) from chain.tokens",
  );
  // Half of the releases are the whale's.
  await indexer.query("update chain.splitter_events set account = $1 where block_number % 2 = 0", [whale]);
  await indexer.query("analyze");
  await vi.waitFor(async () => {
    await indexer.query("vacuum chain.trades");
    const { rows } = await indexer.query(
      "select from pg_class where oid = 'chain.trades_1'::regclass and relallvisible >= 0.9 * relpages",
    );
    expect(rows).toHaveLength(1);
  }, 60_000);
  client = await database.connect();
  const { rows } = await client.query(
    "select '0x' || encode(tx_hash, 'hex') || ':7' as id from chain.trades where maker_id = 1 and block_number = 120000",
  );
  lastTrade = rows[0].id;
});
afterAll(() => database?.stop());

/** Runs a query function and explains its statement. */
async function explain(run: (db: Pick<pg.Pool, "query">) => Promise<unknown>): Promise<PlanNode[]> {
  const { db, plans } = explainStatements(client);
  await run(db as never);
  return plans.flat();
}

const payee = `0x74${(5).toString(16).padStart(38, "0")}`;
const tokenAt = (id: number) => seededAddress(id);
const page = { address: seededAddress(1), limit: 50, before: null, account: null, maker: null, side: null };

// Generic plans of prepared statements and custom plans; for disks with expensive and cheap seeks.
describe.each([
  ["force_generic_plan", 4],
  ["force_generic_plan", 1.1],
  ["force_custom_plan", 4],
  ["force_custom_plan", 1.1],
])("C4-50 with %s and a seek cost of %d a page reads a bounded number of rows:", (mode, seek) => {
  test.each<[string, number, number, (db: any) => Promise<unknown>]>([
    ["a wallet with 5,000 holdings, launches and receipts", 1_500, 4_500, (db) => readWallet(db, whale, start)],
    [
      "a page in its middle",
      1_500,
      4_500,
      (db) =>
        readWallet(db, whale, {
          holdings: tokenAt(2_500),
          launches: tokenAt(2_500),
          receipts: tokenAt(2_501),
          trades: lastTrade,
        }),
    ],
    [
      "a page within the launches of one splitter",
      1_500,
      4_500,
      (db) => readWallet(db, whale, { holdings: "-", launches: "-", receipts: tokenAt(2_500), trades: "-" }),
    ],
    ["any wallet", 1_000, 2_500, (db) => readWallet(db, seededWallet(4_711), start)],
    ["an address without an account", 20, 60, (db) => readWallet(db, seededAddress(9), start)],
    [
      "holders",
      11_000,
      1_200,
      (db) => readHolders(db, { address: seededAddress(1), limit: 50, cursor: null }, { finalBlock: null }),
    ],
    [
      "a page of holders",
      11_000,
      1_200,
      (db) =>
        readHolders(
          db,
          { address: seededAddress(1), limit: 50, cursor: `3000000000000000000000000~${seededWallet(2)}` },
          { finalBlock: null },
        ),
    ],
    ["releases", 150, 800, (db) => readReleases(db, { wallet: payee, limit: 50, after: null })],
    [
      "releases of a wallet with many",
      1_300,
      4_000,
      (db) => readReleases(db, { wallet: whale, limit: 50, after: null }),
    ],
    ["tokens that pay a wallet", 100, 300, (db) => listEarningTokens(db, { wallet: whale, after: null, limit: 10 })],
    [
      "a later page of tokens that pay a wallet",
      100,
      300,
      (db) => listEarningTokens(db, { wallet: whale, after: tokenAt(2_501), limit: 10 }),
    ],
    ["trades before one", 1_100, 1_500, (db) => readTradePage(db, { ...page, before: lastTrade })],
    ["trades of a side", 1_100, 1_200, (db) => readTradePage(db, { ...page, side: "sell" })],
    ["trades of a maker", 5_400, 800, (db) => readTradePage(db, { ...page, maker: whale })],
    ["trades of an account", 5_400, 800, (db) => readTradePage(db, { ...page, account: whale })],
    [
      "trades of an account and a maker",
      5_400,
      800,
      (db) => readTradePage(db, { ...page, account: whale, maker: whale }),
    ],
  ])("%s", async (_name, maxRows, maxPages, run) => {
    await client.query(`begin; set local plan_cache_mode = ${mode}; set local random_page_cost = ${seek}`);
    const nodes = await explain(run);
    await client.query("rollback");
    expect(wholeReads(nodes)).toEqual([]);
    expect(rowsRead(nodes), "rows read").toBeLessThanOrEqual(maxRows);
    expect(pagesTouched(nodes), "pages touched").toBeLessThanOrEqual(maxPages);
  });
});

test("the seeded wallet has the shape that the limits assume, and its pages end", async () => {
  const first = await readWallet(database.db.read, whale, start);
  expect([first.holdings, first.launches, first.receipts, first.trades].map((list) => list.length)).toEqual([
    ...[51, 51, 51, 51],
  ]);
  const seen = new Set<string>();
  let receipts = "";
  for (let n = 0; n < 200 && receipts !== "-"; n++) {
    const row = await readWallet(database.db.read, whale, { holdings: "-", launches: "-", receipts, trades: "-" });
    for (const { address } of row.receipts.slice(0, 50)) {
      expect(seen.has(address)).toBe(false);
      seen.add(address);
    }
    receipts = row.receipts.length > 50 ? row.receipts[49]!.address : "-";
  }
  expect(seen.size).toBe(tokens);
});
