import { liquidityChanges } from "@slipway/protocol/liquidityChanges";
import { checksummed } from "@slipway/protocol/primitives";
import { beforeEach, describe, expect, test } from "vitest";
import { explainStatements, pagesTouched, rowsRead } from "../../../../../bench/queryPlan.ts";
import {
  headTime,
  insert,
  insertAccount,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { readLiquidityChanges } from "./liquidityQueries.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const [launchBlock, launchLog] = [101, 3];
const maker = toAddress(0xabc);

const insertChange = (block: number, log: number, change: Record<string, unknown> = {}) =>
  insert(fixture.database.db, "chain.pool_changes", {
    token_id: 1,
    block_number: block,
    block_time: headTime - 500,
    log_index: log,
    tx_index: 0,
    maker_id: 1,
    kind: "mint",
    tx_hash: Buffer.alloc(32, log),
    token_amount: "5",
    quote_amount: "7",
    reserve_token: "0",
    reserve_quote: "0",
    ...change,
  });

const getChanges = async (query = "") => {
  const { status, json } = await fixture.read.get(`/tokens/${token}/liquidity-changes${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(liquidityChanges.parse(json)).toEqual(json);
  return json;
};
const places = ({ items }: any) => items.map((item: any) => [item.block_number, item.log_index]);

beforeEach(async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1);
  await insertToken(db, 2);
  await insertAccount(db, 1, maker);
  await insertChange(launchBlock, launchLog - 1);
});

describe("GET /tokens/{address}/liquidity-changes", () => {
  test("lists mints and burns newest first, without the launch's own liquidity and other changes", async () => {
    await insertChange(90, 5, { quote_amount: "9" });
    // In the transaction of the launch: before the locked liquidity, and after the launch.
    await insertChange(launchBlock, launchLog - 2);
    await insertChange(launchBlock, launchLog + 1);
    await insertChange(200, 1, { kind: "burn", token_amount: "11", quote_amount: "0" });
    await insertChange(200, 2);
    for (const [log, kind] of ["collect", "collect_protocol", "flash", "swap"].entries()) {
      await insertChange(300, log, { kind, maker_id: null });
    }
    await insertChange(201, 1, { token_id: 2 });
    const json = await getChanges();
    expect(places(json)).toEqual([
      [200, 2],
      [200, 1],
      [launchBlock, launchLog + 1],
      [launchBlock, launchLog - 2],
      [90, 5],
    ]);
    expect(json.items[1]).toEqual({
      id: `0x${"01".repeat(32)}:1`,
      kind: "burn",
      block_number: 200,
      block_timestamp: new Date((headTime - 500) * 1_000).toISOString(),
      tx_hash: `0x${"01".repeat(32)}`,
      log_index: 1,
      maker: checksummed(maker),
      token_amount: "11",
      quote_amount: "0",
    });
    expect(json.next_cursor).toBeNull();
  });

  test("is empty while the launch's own liquidity is the only one", async () => {
    expect(await getChanges()).toMatchObject({ items: [], next_cursor: null });
  });

  test("pages visit every change once, also if others are added meanwhile", async () => {
    for (let n = 0; n < 7; n++) await insertChange(200 + (n >> 1), n);
    const whole = places(await getChanges());
    expect(whole).toHaveLength(7);
    for (const limit of [1, 2, 3, 7]) {
      const found: unknown[] = [];
      let cursor = "";
      do {
        const page = await getChanges(`?limit=${limit}${cursor}`);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...places(page));
        if (found.length === limit) await insertChange(400 + limit, 1);
        cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
      } while (cursor !== "");
      expect(found.filter(([block]: any) => block < 400)).toEqual(whole);
      await fixture.database.db.indexer.query("delete from chain.pool_changes where block_number >= 400");
    }
  });

  test("C4-49 a forged cursor only selects a place on the chain", async () => {
    await insertChange(200, 1);
    expect(places(await getChanges("?cursor=999999999999999:999999999"))).toEqual([[200, 1]]);
    expect(places(await getChanges("?cursor=0:0"))).toEqual([]);
    for (const cursor of [
      "",
      "1",
      "1:",
      ":1",
      "-1:1",
      "1:1:1",
      "1e3:1",
      "1:9999999999",
      `${"9".repeat(16)}:1`,
      "1;1",
    ]) {
      const { status, json } = await fixture.read.get(
        `/tokens/${token}/liquidity-changes?cursor=${encodeURIComponent(cursor)}`,
      );
      expect([status, json.error.code, json.error.field], cursor).toEqual([400, "invalid_query", "cursor"]);
    }
  });

  test("answers 404 for an unknown token, and 503 for an index without the changes of pools", async () => {
    const get = async (address: string) =>
      (await fixture.read.get(`/tokens/${address}/liquidity-changes`)).json.error.code;
    expect(await get(toAddress(5))).toBe("token_not_indexed");
    expect(await get(toAddress(1_002))).toBe("index_unavailable");
  });

  test("C3-05 a page reads a bounded number of rows after 10,000 dust mints and 50,000 flash loans", async () => {
    const { db } = fixture.database;
    await insertChange(1_000, 0);
    const copy = (kind: string, first: number, count: number) =>
      db.indexer.query(
        `insert into chain.pool_changes select (jsonb_populate_record(c, jsonb_build_object('kind', $1::text,
           'block_number', $2::bigint + n))).* from chain.pool_changes c, generate_series(1, $3::integer) n
         where c.token_id = 1 and c.block_number = 1000`,
        [kind, first, count],
      );
    await copy("mint", 1_000, 10_000);
    await copy("flash", 20_000, 50_000);
    await db.indexer.query("vacuum analyze chain.pool_changes");
    const client = await fixture.database.connect("-c random_page_cost=1.1");
    for (const before of [null, { block: 15_000, logIndex: 0 }, { block: 5_000, logIndex: 0 }]) {
      const { db: explained, plans } = explainStatements(client);
      await readLiquidityChanges(explained as never, { address: token, limit: 301, before });
      const nodes = plans.flat();
      const scanned = nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]);
      expect(scanned).not.toContain("pool_changes");
      expect(rowsRead(nodes)).toBeLessThanOrEqual(1_000);
      expect(pagesTouched(nodes)).toBeLessThanOrEqual(1_000);
    }
    expect((await getChanges("?limit=300")).items).toHaveLength(300);
  });
});
