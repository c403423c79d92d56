import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  explainFunctions,
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
import { listChangedManifests, listChangedPictures, readProgress } from "../../cache/queries.ts";
import { readCandles } from "../../history/candleQueries.ts";
import { createHistory } from "../../history/history.ts";
import { readLatestTrades } from "../../history/latestTradeQueries.ts";
import { readPricedTrades } from "../../history/pricedTradeQueries.ts";
import { getNewestOutboxId, listOutboxChanges } from "../../live/queries.ts";
import { readEthUsd } from "../../pricing/queries.ts";
import { readDays } from "../analytics/dailyQueries.ts";
import { readAnalytics } from "../analytics/queries.ts";
import {
  countGallery,
  createRandomOrder,
  type GalleryOrder,
  galleryOrders,
  listGalleryItems,
  searchGallery,
} from "./galleryQueries.ts";
import { findToken } from "./queries.ts";
import { noFilters } from "./tokenFilterQueries.ts";
import { findTokens, type ListPlace, listTokens, type TokenListQuery } from "./tokenListQueries.ts";
import { type ListOrder, tokenOrders } from "./tokenOrderQueries.ts";
import { readHoldingTraders, readPoolState, readRealizedTraders } from "./traderQueries.ts";

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await seedIndex(indexer, { tokens: 5_000, trades: 60_000, headTime });
  await indexer.query(
    "insert into chain.outbox (block_number, kind, payload) select n, 'state', '{}' from generate_series(1, 5000) n",
  );
  await indexer.query(`
    insert into app.token_manifests (token, uri, sha256) select address, 'https://a.example/', sha256('x') from chain.tokens`);
  await indexer.query(`
    insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
    select sha256(address::bytea), address, 'image/webp', 1, 1, 1, false, '', '#000000' from chain.tokens`);
  // Every tenth token has no picture.
  await indexer.query(`
    insert into app.token_images (token, uri, sha256)
    select address, 'ipfs://x', sha256(address::bytea) from chain.tokens where id % 10 > 0`);
  await indexer.query("analyze chain.outbox, app.token_manifests, app.images, app.gallery, app.gallery_items");
  await vi.waitFor(() => vacuum(indexer), 60_000);
  // The seek cost of an SSD. At ten million trades the plans are the same with the default (bench/query.ts); at this size
  // the planner otherwise prefers to read a whole token.
  client = await database.connect("-c random_page_cost=1.1");
  for (const order of orders) {
    const page = await listTokens(database.db.read, { ...order, ...noSearch, limit: 300 });
    if (page !== "expired") places.set(toTitle(order), page.next!);
  }
});
afterAll(() => database?.stop());

/** Vacuums; fails while an older snapshot, e.g. of an autovacuum, keeps pages from being marked all-visible. */
async function vacuum(db: pg.Pool): Promise<void> {
  await db.query("vacuum chain.trades, chain.candles, app.gallery_total, app.gallery_items");
  const { rows } = await db.query(
    "select relname from pg_class where oid in ('chain.trades_1'::regclass, 'chain.candles'::regclass) and relallvisible < 0.9 * relpages",
  );
  expect(rows).toEqual([]);
}

/** Runs a query function and explains its statement. */
async function explain(run: (db: Pick<pg.Pool, "query">) => Promise<unknown>): Promise<PlanNode[]> {
  const { db, plans } = explainStatements(client);
  await run(db as never);
  return plans.flat();
}

const busy = seededAddress(1);

type Read = [name: string, maxRows: number, maxPages: number, run: (db: any) => Promise<unknown>];

const orders = (Object.keys(tokenOrders) as ListOrder["sort"][]).flatMap((sort): ListOrder[] => [
  { sort, direction: "asc" },
  { sort, direction: "desc" },
]);
const toTitle = ({ sort, direction }: ListOrder) => `${sort} ${direction}`;

/** A page in the middle of an order. */
function toLaterPage(order: ListOrder): TokenListQuery {
  return { ...order, ...noSearch, after: places.get(toTitle(order))! };
}
const places = new Map<string, ListPlace>();

const seededCreator = (n: number) => `0x72${n.toString(16).padStart(38, "0")}`;
const seededPartner = (n: number) => `0x75${n.toString(16).padStart(38, "0")}`;
const secondsPage = { address: busy, before: 10 ** 12, ageSeconds: 86_400, limit: 2_001 };
const hundred = Array.from({ length: 100 }, (_, n) => seededAddress(1 + n * 37));

/** A page of the gallery, as its route reads it. */
async function readGallery(db: any, order: GalleryOrder, search: string | null = null): Promise<void> {
  await listGalleryItems(db, order, {
    after: order.start,
    limit: 61,
    search: search === null ? null : await searchGallery(db, search),
  });
}

const featured = [seededAddress(5), seededAddress(4_999)];
const noSearch = { featured, search: null, limit: 300, filters: noFilters, after: null };

describe("C3-05 an uncached read uses an index and bounds its rows and pages:", () => {
  test.each<Read>([
    ...orders.map(
      (order): Read => [`tokens by ${toTitle(order)}`, 2_500, 6_000, (db) => listTokens(db, { ...order, ...noSearch })],
    ),
    ...orders.map(
      (order): Read => [
        `a later page of tokens by ${toTitle(order)}`,
        2_500,
        6_000,
        (db) => listTokens(db, toLaterPage(order)),
      ],
    ),
    [
      "tokens of a creator",
      300,
      500,
      (db) => listTokens(db, { ...noSearch, sort: "volume", filters: { ...noFilters, creator: seededCreator(7) } }),
    ],
    [
      "tokens of a partner with a common search",
      300,
      500,
      (db) =>
        listTokens(db, { ...noSearch, sort: "new", search: "a", filters: { ...noFilters, partner: seededPartner(7) } }),
    ],
    // Every token meets the conditions: each filter lists its first tokens, and the page is read in the list's order.
    [
      "tokens with a common condition",
      9_000,
      20_000,
      (db) =>
        listTokens(db, {
          ...noSearch,
          sort: "market_cap",
          filters: { ...noFilters, maxAgeSeconds: 10 ** 9, minLiquidityQuote: 0 },
        }),
    ],
    ["100 tokens by address", 1_000, 2_500, (db) => findTokens(db, { addresses: hundred, featured })],
    [
      "tokens by a search",
      300,
      200,
      (db) => listTokens(db, { ...noSearch, featured: [], sort: "volume", search: "fjord 1213" }),
    ],
    [
      "tokens by an address",
      300,
      200,
      (db) => listTokens(db, { ...noSearch, featured: [], sort: "volume", search: seededAddress(77) }),
    ],
    ...(["new", "volume", "volume_quote", "market_cap"] as const).map(
      (sort): Read => [`the gallery by ${sort}`, 200, 500, (db) => readGallery(db, galleryOrders[sort][0])],
    ),
    ["the gallery's pictures without a volume", 10, 50, (db) => readGallery(db, galleryOrders.volume[1])],
    ["the gallery upwards at random", 200, 400, (db) => readGallery(db, createRandomOrder(-(2 ** 31), true)[0]!)],
    ["the gallery downwards at random", 200, 400, (db) => readGallery(db, createRandomOrder(0, false)[1]!)],
    ["the gallery's total", 1, 5, (db) => countGallery(db)],
    ["changed pictures", 105, 250, (db) => listChangedPictures(db, 4_000, 100)],
    ["a token", 900, 1_500, (db) => findToken(db, createHistory(null), { address: busy, trades: 50 })],
    ["trades", 1_000, 3_000, (db) => readLatestTrades(db, busy, 300)],
    // The index entries of a page also count as rows, and 2,000 trades for their accounts.
    [
      "candles",
      2_650,
      5_000,
      (db) => readCandles(db, { address: busy, seconds: 60, bucketSeconds: 60, before: 10 ** 12, limit: 301 }),
    ],
    [
      "an earlier page of candles",
      2_650,
      5_000,
      (db) => readCandles(db, { address: busy, seconds: 60, bucketSeconds: 60, before: headTime - 86_400, limit: 301 }),
    ],
    [
      "traders by realized profit",
      310,
      1_000,
      (db) => readRealizedTraders(db, { address: busy, limit: 101, cursor: null }),
    ],
    [
      "a later page of traders",
      310,
      1_000,
      (db) =>
        readRealizedTraders(db, {
          address: busy,
          limit: 101,
          cursor: { amount: "-10000000000000000", account: seededWallet(5) },
        }),
    ],
    ["traders by amount", 2_100, 4_500, (db) => readHoldingTraders(db, { address: busy, limit: 1_000 })],
    ["the state of a pool", 5, 20, (db) => readPoolState(db, busy)],
    ["days", 1_100, 100, (db) => readDays(db, { before: 10 ** 11, limit: 1_000 })],
    ["candles of seconds", 2_100, 5_000, (db) => readPricedTrades(db, secondsPage)],
    ["the newest change", 5, 20, (db) => getNewestOutboxId(db)],
    ["the index status and the newest changes", 10, 40, (db) => readProgress(db, 4_999, 5_000)],
    ["changed off-chain documents", 105, 250, (db) => listChangedManifests(db, 4_000, 100)],
    ["changes", 105, 100, (db) => listOutboxChanges(db, 4_000, 100)],
    ["ETH/USD of ten minutes", 40, 100, readEthUsd],
  ])("%s", async (_name, maxRows, maxPages, run) => {
    const nodes = await explain(run);
    expect(wholeReads(nodes)).toEqual([]);
    expect(rowsRead(nodes), "rows read").toBeLessThanOrEqual(maxRows);
    expect(pagesTouched(nodes), "pages touched").toBeLessThanOrEqual(maxPages);
  });

  // Generic plans of prepared statements and custom plans; for disks with expensive and free seeks.
  test.each([
    ["force_generic_plan", 4],
    ["force_generic_plan", 1],
    ["force_custom_plan", 4],
    ["force_custom_plan", 1],
  ])("pages of candles and accounts are prefetched with %s and a seek cost of %d", async (mode, seek) => {
    await client.query(`begin; set local plan_cache_mode = ${mode}; set local random_page_cost = ${seek}`);
    const page = { address: busy, seconds: 60, bucketSeconds: 60, before: 10 ** 12, limit: 301 };
    const pages = [
      await explain((db) => readLatestTrades(db as never, busy, 300)),
      // chain.token_candles reads the candles.
      (await explainFunctions(client, () => readCandles(client as never, page))).flat(),
    ];
    await client.query("rollback");
    for (const [nodes, rows, own] of [
      [pages[0]!, null, ["accounts"]],
      [pages[1]!, 301, ["candles"]],
    ] as const) {
      const scans = nodes.filter((node) => own.some((table) => table === node["Relation Name"]));
      const types = scans.map((node) => node["Node Type"]);
      expect(types.toSorted()).toEqual(["Bitmap Heap Scan", ...(rows === null ? [] : ["Index Only Scan"])]);
      if (rows !== null) expect(scans[types.indexOf("Bitmap Heap Scan")]!["Actual Rows"]).toBe(rows);
    }
  });

  test.each([
    ["force_generic_plan", 4],
    ["force_custom_plan", 1],
  ])(
    "300 trades of a token are read in their order from few pages with %s and a seek cost of %d",
    async (mode, seek) => {
      await client.query(`begin; set local plan_cache_mode = ${mode}; set local random_page_cost = ${seek}`);
      // The newest tenth of the blocks stays in the open partition.
      const { rows } = await client.query("select max(block_number) * 9 / 10 as final_block from chain.trades");
      await client.query("select chain.order_trades($1, 1, 1000000)", [rows[0].final_block]);
      await client.query("analyze chain.trades");
      for (const token of [busy, seededAddress(40), seededAddress(400)]) {
        const plans = await explainFunctions(client, () => readLatestTrades(client as never, token, 300));
        const nodes = plans.find(([root]) => root!["Node Type"] === "Limit")!;
        expect(nodes.map((node) => node["Node Type"])).toContain("Append");
        expect(nodes.map((node) => node["Node Type"])).not.toContain("Sort");
        expect(rowsRead(nodes)).toBeLessThanOrEqual(340);
      }
      await client.query("rollback");
    },
  );

  test.each([
    ["new", galleryOrders.new[0]],
    ["volume", galleryOrders.volume[0]],
    ["market cap", galleryOrders.market_cap[0]],
    ["random", createRandomOrder(-(2 ** 31), true)[0]!],
  ])(
    "the gallery by %s with a search that every token matches reads a page and the counted matches",
    async (_, order) => {
      const nodes = await explain((db) => readGallery(db, order, "0x"));
      expect(rowsRead(nodes)).toBeLessThanOrEqual(2_000);
    },
  );

  test.each(["a", "0"])(
    "a search for the letter %s, which most tokens have, reads some of the newest and of the order",
    async (search) => {
      for (const sort of ["volume", "new"] as const) {
        const nodes = await explain((db) => listTokens(db as never, { ...noSearch, sort, search, limit: 50 }));
        expect(rowsRead(nodes)).toBeLessThanOrEqual(200 + 1_200 + 50 * 12);
        expect(pagesTouched(nodes)).toBeLessThanOrEqual(1_500);
      }
    },
  );

  // Too short for trigrams: the search reads each of the newest tokens once.
  test.each(["zq", "_"])("the short search %s reads each of the newest tokens once", async (search) => {
    const nodes = await explain((db) => listTokens(db as never, { ...noSearch, sort: "volume", search, limit: 50 }));
    expect(rowsRead(nodes)).toBeLessThanOrEqual(200 + 5_000 + 50);
    expect(pagesTouched(nodes)).toBeLessThanOrEqual(2_000);
  });

  test("analytics read the minutes of a day, and no trades or traders", async () => {
    const nodes = await explain((db) => readAnalytics(db as never));
    const tables = new Set(nodes.flatMap((node) => node["Relation Name"] ?? []));
    expect([...tables].sort()).toEqual(["checkpoint", "totals", "trader_minutes"]);
    expect(wholeReads(nodes)).toEqual([]);
    expect(pagesTouched(nodes)).toBeLessThanOrEqual(3_200);
  });

  test("the read pool prefetches many pages", async () => {
    const { rows } = await database.db.read.query("show effective_io_concurrency");
    expect(rows).toEqual([{ effective_io_concurrency: "100" }]);
  });

  test("a prefetched page has the rows of an ordered scan, also where it ends within a block", async () => {
    // A second and a third trade in each block of a token.
    await client.query(`
      insert into chain.trades select token_id, log_index + n, block_number, block_time, pool_price, eth_usd, maker_id,
        recipient_id, is_buy, tx_hash, token_amount, quote_amount, account_id, account_source
      from chain.trades, (values (100), (200)) x(n) where token_id = 5`);
    for (const id of [1, 5, 1_000, 5_000]) {
      const address = seededAddress(id);
      for (const limit of [1, 2, 50, 299, 300]) {
        const trades = await client.query(
          "select block_number::float8, log_index, maker, recipient, account from chain.trade_rows where token_id = $1 order by 1 desc, 2 desc limit $2",
          [id, limit],
        );
        const found = (await readLatestTrades(database.db.read, address, limit))!.trades;
        const key = (row: any) => [row.block_number, row.log_index, row.maker, row.recipient, row.account];
        expect(found.map(key)).toEqual(trades.rows.map(key));
        for (const before of [10 ** 12, headTime - 86_400]) {
          const candles = await client.query(
            "select t::float8, n from chain.candles where token_id = $1 and seconds = 60 and t < $3 order by t desc limit $2",
            [id, limit, before],
          );
          const page = (await readCandles(database.db.read, {
            address,
            seconds: 60,
            bucketSeconds: 60,
            before,
            limit,
          }))!;
          expect(page.filter((row) => row.t !== null).map(({ t, n }: any) => ({ t, n }))).toEqual(candles.rows);
        }
      }
    }
  });

  test("the seeded index has the shape that the limits assume", async () => {
    const detail = await findToken(database.db.read, createHistory(null), { address: busy, trades: 50 });
    expect(detail!.trades).toHaveLength(50);
    const list = await listTokens(database.db.read, { sort: "volume", ...noSearch });
    if (list === "expired") throw new Error("a first page needs no token");
    expect(list.tokens).toHaveLength(300);
    expect(list.total).toBe(5_000);
    const volumes = list.tokens.slice(2).map((row) => Number(row.volume_24h_usd));
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
  });
});
