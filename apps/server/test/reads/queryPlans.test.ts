import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAnalytics } from "@slipway/server/features/analytics/queries";
import { readEthUsd } from "@slipway/server/readModel/queries";
import { findToken, listCandles, listTokens, listTrades } from "@slipway/server/features/tokens/queries";
import { newestOutboxId, outboxChanges } from "@slipway/server/readModel/queries";
import { seedIndex } from "../../../../bench/seedIndex.ts";
import { seededAddress } from "../../../../bench/seedModel.ts";
import { headTime } from "./support/rows.ts";
import { type ReadDatabase, startReadDatabase } from "./support/readDatabase.ts";

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await seedIndex(indexer, { tokens: 5_000, trades: 150_000, headTime });
  await indexer.query(
    "insert into chain.outbox (block_number, kind, payload) select n, 'state', '{}' from generate_series(1, 5000) n",
  );
  await indexer.query("analyze chain.outbox");
  // A seek costs what it costs on an SSD. At ten million trades the plans are the same with the default (bench/query.ts);
  // at this size the planner would rather read a whole token than seek.
  client = new pg.Client({ connectionString: database.url, options: "-c random_page_cost=1.1" });
  await client.connect();
}, 120_000);
afterAll(async () => {
  await client?.end();
  await database?.stop();
});

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

/** Runs a feature's own query function and explains the statement that it sends. */
async function explain(run: (db: Pick<pg.Pool, "query">) => Promise<unknown>): Promise<Plan[]> {
  const nodes: Plan[] = [];
  const spy = {
    query: async (query: string | { text: string; values?: unknown[] }, values?: unknown[]) => {
      const [text, given] = typeof query === "string" ? [query, values] : [query.text, query.values];
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, given);
      const walk = (plan: Plan) => {
        nodes.push(plan);
        plan.Plans?.forEach(walk);
      };
      walk(rows[0]["QUERY PLAN"][0].Plan);
      return await client.query(text, given);
    },
  };
  await run(spy as never);
  return nodes;
}

/** Rows that a plan takes from tables, and those that it read only to throw away. */
function rowsRead(nodes: readonly Plan[]): number {
  return nodes
    .filter((node) => node["Relation Name"] !== undefined)
    .reduce(
      (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );
}

/** Tables that grow without end, or with every launch. */
const large = [
  "tokens",
  "token_state",
  "trades",
  "candles",
  "accounts",
  "traders",
  "balances",
  "splitter_payees",
  "outbox",
];
const wholeReads = (nodes: readonly Plan[]) =>
  nodes
    .filter((node) => node["Node Type"] === "Seq Scan" && large.includes(node["Relation Name"]!))
    .map((node) => node["Relation Name"]);

const busy = seededAddress(1);
const featured = [seededAddress(5), seededAddress(4_999)];
const noSearch = { featured, search: null, limit: 300 };

describe("C3-05 a cold read uses an index and reads no more rows than it needs:", () => {
  test.each<[string, number, (db: any) => Promise<unknown>]>([
    ["tokens by volume", 2_500, (db) => listTokens(db, { sort: "volume", ...noSearch })],
    ["tokens by native volume", 2_500, (db) => listTokens(db, { sort: "volume_quote", ...noSearch })],
    ["tokens by market cap", 2_500, (db) => listTokens(db, { sort: "market_cap", ...noSearch })],
    ["tokens by gain", 2_500, (db) => listTokens(db, { sort: "gainers", ...noSearch })],
    ["tokens by age", 2_500, (db) => listTokens(db, { sort: "new", ...noSearch })],
    [
      "tokens by a search",
      50,
      (db) => listTokens(db, { ...noSearch, featured: [], sort: "volume", search: "boat 1213" }),
    ],
    [
      "tokens by an address",
      50,
      (db) => listTokens(db, { ...noSearch, featured: [], sort: "volume", search: seededAddress(77) }),
    ],
    ["a token", 900, (db) => findToken(db, busy, 50)],
    ["trades", 1_000, (db) => listTrades(db, busy, 300)],
    ["candles", 310, (db) => listCandles(db, { address: busy, seconds: 60, before: 10 ** 12, limit: 301 })],
    [
      "an earlier page of candles",
      310,
      (db) => listCandles(db, { address: busy, seconds: 60, before: headTime - 86_400, limit: 301 }),
    ],
    ["the newest change", 5, (db) => newestOutboxId(db)],
    ["changes", 105, (db) => outboxChanges(db, 4_000, 100)],
    ["ETH/USD of ten minutes", 40, (db) => readEthUsd(db, 600)],
  ])("%s", async (_name, mostRows, run) => {
    const nodes = await explain(run);
    expect(wholeReads(nodes)).toEqual([]);
    expect(rowsRead(nodes)).toBeLessThanOrEqual(mostRows);
  });

  test("analytics: the minutes and traders of a day, and no trade", async () => {
    const nodes = await explain((db) => readAnalytics(db as never));
    const tables = new Set(nodes.flatMap((node) => node["Relation Name"] ?? []));
    expect([...tables].sort()).toEqual(["checkpoint", "totals", "traders"]);
    expect(wholeReads(nodes)).toEqual([]);
  });

  test("the seeded index is what the queries take it for", async () => {
    const detail = await findToken(database.db.read, busy, 50);
    expect(detail!.trades).toHaveLength(50);
    const list = await listTokens(database.db.read, { sort: "volume", ...noSearch });
    expect(list).toHaveLength(300);
    expect(list[0]!.total).toBe(5_000);
    const volumes = list.slice(2).map((row: any) => Number(row.volume_24h_usd));
    expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
  });
});
