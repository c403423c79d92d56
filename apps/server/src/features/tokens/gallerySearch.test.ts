import { maxScannedRows } from "@slipway/protocol/searchLimits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainStatements, rowsRead } from "../../../../../bench/queryPlan.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { type GalleryPlace, galleryOrders, listGalleryItems, searchGallery } from "./galleryQueries.ts";

/** More rows than a search without an index reads. */
const pictures = maxScannedRows + 5_000;
const oldest = [1, 2, 3];

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  // The newest pictures have "boat" or "qj" in the name; the oldest have the symbols qj, qjx and xqj.
  await database.db.indexer.query(`
    insert into app.gallery_items
    select n, 'token ' || n, n, '', 1, 1, false, '', '', x.name, x.symbol, n, n, 0, lower(x.name || E'\\n' || x.symbol || E'\\n0x' || n)
    from generate_series(1, ${pictures}) n
    cross join lateral (
      select case when n > ${pictures - 1_500} then 'boat ' else 'crane ' end || n || case when n = ${pictures} then 'qj' else '' end as name,
        (array['qj', 'qjx', 'xqj'])[n] as symbol
    ) y cross join lateral (select y.name, coalesce(y.symbol, 's' || n) as symbol) x`);
  await database.db.indexer.query("vacuum analyze app.gallery_items");
  client = await database.connect();
});
afterAll(() => database?.stop());

/** Runs a search, and counts the rows of its plans. */
async function search(text: string) {
  const { db, plans } = explainStatements(client);
  const found = await searchGallery(db as never, text);
  return { found, rows: rowsRead(plans.flat()) };
}

describe("C5-45 a search of the gallery reads a bounded number of rows:", () => {
  test("of two letters, in the newest pictures and in whole symbols of all", async () => {
    const { found, rows } = await search("qj");
    expect(found.ids).toBe(`{${oldest[0]},${pictures}}`);
    expect(found.total).toBe(2);
    expect(rows).toBeLessThanOrEqual(maxScannedRows + 500);
  });

  // The database classifies fractions and other numbers as neither letters nor digits.
  test.each(["zx", "z", "%%%%", "🚀🚀🚀🚀", "½½½", "①②③", "a²³"])("of %s, which no picture has", async (text) => {
    const { found, rows } = await search(text);
    expect(found).toMatchObject({ ids: "{}", total: 0 });
    expect(rows).toBeLessThanOrEqual(maxScannedRows + 500);
  });

  test("of three letters, by the index", async () => {
    const { found, rows } = await search(`${pictures}q`);
    expect(found).toMatchObject({ ids: `{${pictures}}`, total: 1 });
    expect(rows).toBeLessThanOrEqual(500);
  });

  test("of three letters of another script, by the index", async () => {
    const { found, rows } = await search("日本語");
    expect(found).toMatchObject({ ids: "{}", total: 0 });
    expect(rows).toBeLessThanOrEqual(500);
  });

  test("of a text that only the newest pictures have, and each later page returns its end", async () => {
    const { found } = await search("boat");
    expect(found).toMatchObject({ ids: null, total: 1_000 });
    const [order] = galleryOrders.new;
    const ends: (GalleryPlace | null)[] = [];
    let after: GalleryPlace = [String(pictures - 1_499), "0"];
    for (;;) {
      const { rows, end } = await listGalleryItems(client, order, { after, limit: 10, search: found });
      expect(rows).toEqual([]);
      ends.push(end);
      if (end === null) break;
      after = end;
    }
    // None of 23,500 rows is omitted or examined twice.
    expect(ends).toEqual([["13501", "0"], ["3501", "0"], null]);
  });
});
