import { maxScannedRows } from "@slipway/protocol/searchLimits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  explainStatements,
  type PlanNode,
  pagesTouched,
  rowsRead,
  wholeReads,
} from "../../../../../bench/queryPlan.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { findLegacy, listLegacy } from "./directoryQueries.ts";
import { createDistanceSql } from "./geography.ts";
import type { ListingFilter } from "./listingSql.ts";
import { countListings, findBusiness, listAndCount, listListings } from "./queries.ts";

/** More listings than a search without an index reads. */
const listings = maxScannedRows + 4_000;

/** The deployment before the current one, which `insertIndex` inserts. */
const legacyChain = { chainId: 46630, legacyDeployments: [2] };

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  // Names of few words, descriptions with common words, cities, and places all over the world.
  await indexer.query(`
    insert into app.listings (id, source, kind, body_hash, listing, name, search_text, category, country, lat, lon, created_at)
    select 'partner_a:' || n, 'partner_a', 'business', '', '{"image_uri": null}', x.name,
      x.name || E'\\n' || (array['berlin', 'paris', 'rome', 'oslo'])[1 + n % 4]
        || repeat(' words of a description, number ' || n || ', with fresh goods', 4),
      (array['retail', 'food-drink', 'other'])[1 + n % 3], (array['DE', 'FR', 'IT'])[1 + n % 3],
      n % 180 - 90, n * 7 % 360 - 180, now() - n * interval '1 minute'
    from generate_series(1, ${listings}) n
    cross join lateral (
      select (array['tin', 'paper', 'old', 'red', 'coffee'])[1 + n % 5] || ' '
        || (array['boat', 'crane', 'coffee', 'quay', 'mill', 'bakery'])[1 + n % 6] || ' ' || n as name
    ) x`);
  await insertIndex(database.db);
  const token = await insertToken(database.db, 1, { deployment_id: 2 });
  expect(token).toMatch(/^0x/);
  await indexer.query("vacuum analyze app.listings");
  // The seek cost of an SSD.
  client = await database.connect("-c random_page_cost=1.1");
});
afterAll(() => database?.stop());

/** Runs a query function and explains each of its statements. */
async function explain(run: (db: never) => Promise<unknown>): Promise<PlanNode[][]> {
  const { db, plans } = explainStatements(client);
  await run(db as never);
  return plans;
}

const first = { after: null, limit: 51 };
const list = (filter: Partial<ListingFilter>, page: Parameters<typeof listListings>[2] = first) => {
  return (db: never) => listListings(db, { list: "businesses", source: null, search: null, ...filter }, page);
};
/** A position after the hundredth listing whose text, but not name, contains the term. */
const later = {
  after: [0, String(BigInt(Date.now() - 6_000_000) * 1_000n), "z"] as [number, string, string],
  limit: 51,
};

describe("C5-31 a read of listings uses indexes and bounds its rows and pages:", () => {
  test.each<[string, number, number, (db: never) => Promise<unknown>]>([
    ["the newest", 200, 300, list({})],
    ["the newest of the directory", 200, 300, list({ merged: true })],
    ["of a source", 200, 300, list({ source: "partner_a" })],
    ["of a category", 200, 300, list({ category: "retail" })],
    ["of a country", 200, 300, list({ country: "DE" })],
    ["the nearest on the whole Earth", 600, 800, list({ near: { lat: 40, lon: -30, radiusKm: 20_038 } })],
    ["the nearest at the antimeridian", 600, 800, list({ near: { lat: -17, lon: 179.9, radiusKm: 9_000 } })],
    ["within a distance", 600, 800, list({ near: { lat: 0, lon: 0, radiusKm: 300 } })],
    ["a letter that all names contain", maxScannedRows + 1_500, 3_000, list({ search: "e" })],
    ["a term that a third of the names contain", 1_500, 600, list({ search: "coffee" })],
    ["a term that names begin with", 1_500, 600, list({ search: "tin" })],
    ["a term that all texts but no name contain", 1_500, 600, list({ search: "fresh goods" })],
    ["a city of a quarter of the listings", 1_500, 600, list({ search: "berlin" })],
    ["a later page of the same city", 1_500, 600, list({ search: "berlin" }, later)],
    ["a city in a country", 1_500, 800, list({ search: "berlin", country: "DE" })],
    ["a name of one listing", 300, 200, list({ search: "boat 18000" })],
    ["a term without matches", 300, 200, list({ search: "zzzqqq" })],
    ["two letters without matches", maxScannedRows + 500, 3_000, list({ search: "zq" })],
    ["numbers that are not digits", maxScannedRows + 500, 3_000, list({ search: "½½½" })],
    ["a letter without matches in the directory", maxScannedRows + 500, 3_000, list({ search: "😀", merged: true })],
    ["two letters that only the texts contain", 1_500 + 2 * maxScannedRows, 6_000, list({ search: "ds" })],
    ["a search in the directory", 1_500, 600, list({ search: "coffee", merged: true })],
    ["a listing", 10, 50, (db) => findBusiness(db, "partner_a:77")],
    [
      "a token of an earlier deployment",
      20,
      50,
      (db) => findLegacy(db, legacyChain, "0x00000000000000000000000000000000000003e9"),
    ],
    [
      "tokens of earlier deployments",
      20,
      50,
      (db) => listLegacy(db, legacyChain, { list: "d", source: null, search: null }, first),
    ],
  ])("%s", async (_name, maxRows, maxPages, run) => {
    const plans = await explain(run);
    // A scan that stops after enough rows does not read the whole table.
    const whole = plans.flatMap((nodes) => wholeReads(nodes.filter((node) => rowsRead([node]) >= listings)));
    expect(whole.filter((table) => table === "listings")).toEqual([]);
    const sum = (of: (nodes: PlanNode[]) => number) => plans.reduce((total, nodes) => total + of(nodes), 0);
    expect(sum(rowsRead), "rows read").toBeLessThanOrEqual(maxRows);
    expect(sum(pagesTouched), "pages touched").toBeLessThanOrEqual(maxPages);
  });
});

describe("places", () => {
  test.each([
    [40, -30],
    [-17, 179.9],
    [88, 10],
    [0, -180],
  ])("near %s, %s have the same order in pages as in one list sorted by distance", async (lat, lon) => {
    const near = { lat, lon, radiusKm: 20_038 };
    const distance = createDistanceSql({ lat: "$1::float8", lon: "$2::float8" }, { lat: "l.lat", lon: "l.lon" });
    const { rows } = await client.query<{ id: string }>(
      `select id from app.listings l order by ${distance}, created_at desc, id desc limit 400`,
      [lat, lon],
    );
    const found: string[] = [];
    let after: [number, string, string] | null = null;
    while (found.length < 400) {
      const filter: ListingFilter = { list: "businesses", source: null, search: null, near };
      const page = await listListings(database.db.read, filter, { after, limit: 80 });
      found.push(...page.map(({ id }) => id));
      const last = page.at(-1)!;
      after = [last.place, last.micros, last.id];
    }
    expect(found).toEqual(rows.map(({ id }) => id));
  });
});

describe("a search", () => {
  test("counts its matches up to a thousand", async () => {
    const count = (search: string) =>
      countListings(database.db.read, { list: "directory all", source: null, search, merged: true });
    expect([await count("coffee"), await count("boat 18000"), await count("zzzqqq")]).toEqual([1_000, 1, 0]);
  });

  test("for two letters finds the newest texts, and all names that begin with them", async () => {
    const name = (id: number, text: string) =>
      client.query(
        "update app.listings set name = $2, search_text = $2 || ' ' || search_text where id = 'partner_a:' || $1::int",
        [id, text],
      );
    await name(listings, "qj oldest");
    await name(listings - 1, "oldest qj");
    await name(1, "newest qj");
    for (const merged of [false, true]) {
      const found = await listAndCount(database.db.read, { list: "d", source: null, search: "qj", merged }, first);
      expect(found).toMatchObject({ rows: [{ id: `partner_a:${listings}` }, { id: "partner_a:1" }], matches: 2 });
    }
  });

  test("has the same order in pages as in one list of all matches sorted by relevance and age", async () => {
    const filter: ListingFilter = { list: "businesses", source: null, search: "coffee" };
    const { rows } = await client.query<{ id: string }>(
      `select id from app.listings where search_text like '%coffee%'
       order by case when name = 'coffee' then 4 when name like 'coffee%' then 3 when name like '% coffee%' then 2
         when name like '%coffee%' then 1 else 0 end desc, created_at desc, id desc`,
    );
    const found: string[] = [];
    let after: [number, string, string] | null = null;
    for (;;) {
      const page = await listListings(database.db.read, filter, { after, limit: 1_700 });
      found.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (page.length < 1_700 || last === undefined) break;
      after = [last.place, last.micros, last.id];
    }
    expect(found).toEqual(rows.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(6_000);
  });
});
