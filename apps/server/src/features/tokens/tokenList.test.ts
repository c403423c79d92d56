import { indexedTokens } from "@slipway/protocol/indexed";
import { describe, expect, test } from "vitest";
import { createReadApp, pinnedState } from "../../../../../tests/support/server/readApp.ts";
import {
  headTime,
  insert,
  insertEthUsd,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../tests/support/server/rows.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();

const symbols = (answer: { json: any }) => answer.json.items.map((item: { symbol: string }) => item.symbol);

/** Four tokens whose orders differ in every sort. */
async function insertFour(): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertEthUsd(db, 2_000, { block: 4_990, time: headTime - 60 });
  const rows: [string, string | null, number, number][] = [
    ["A", "1000000", 4, -50],
    ["B", "9000000", 1, 10],
    ["C", null, 3, 900],
    ["D", "0", 2, 0],
  ];
  for (const [index, [symbol, volume, cap, change]] of rows.entries()) {
    const state = { volume_24h_usd: volume, market_cap: cap, change_24h_pct: change, volume_24h_quote: String(cap) };
    await insertToken(db, index + 1, { symbol, name: `Name ${symbol}` }, state);
  }
}

describe("GET /tokens", () => {
  test("C7-60 a token that can be confused with an official asset has a warning, and a search for the asset says that it was not launched here", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, { name: "Wrapped Ether", symbol: "WETH" });
    await insertToken(db, 2, { name: "W \u0415 T H", symbol: "SAFE" });
    await insertToken(db, 3, { name: "Dollars", symbol: "usdX" });
    await insertToken(db, 4, { name: "Tin Boat", symbol: "TIN" });
    const { json } = await fixture.read.get("/tokens?sort=new");
    const warned = json.items.map(({ warnings }: any) =>
      warnings.filter(({ code }: any) => code === "confusable_name").map(({ message }: any) => message),
    );
    expect(warned).toEqual([
      [],
      [expect.stringContaining("the official asset USDx at 0x8888")],
      [expect.stringContaining("the official asset WETH (Wrapped Ether) at 0x7777")],
      [expect.stringContaining("the official asset WETH (Wrapped Ether) at 0x7777")],
    ]);
    expect(json.official_asset).toBeUndefined();
    const detail = await fixture.read.get(`/tokens/${toAddress(1_001)}`);
    expect(detail.json.warnings).toContainEqual(json.items[3].warnings.at(-1));

    for (const text of ["WETH", "weth", "w eth", "wrapped ether"]) {
      const found = await fixture.read.get(`/tokens?q=${encodeURIComponent(text)}`);
      expect(indexedTokens.parse(found.json)).toEqual(found.json);
      expect(found.json.official_asset).toMatchObject({ symbol: "WETH", name: "Wrapped Ether" });
    }
    expect((await fixture.read.get("/tokens?q=TIN")).json.official_asset).toBeUndefined();
  });

  test("sorts by 24 h volume by default, unknown volume last", async () => {
    await insertFour();
    const answer = await fixture.read.get("/tokens");
    expect(answer.status).toBe(200);
    expect(indexedTokens.parse(answer.json)).toEqual(answer.json);
    expect(symbols(answer)).toEqual(["B", "A", "D", "C"]);
    expect(answer.json).toMatchObject({ total: 4, quote: "usd" });
  });

  test.each([
    ["volume", ["B", "A", "D", "C"]],
    ["market_cap", ["A", "C", "D", "B"]],
    ["new", ["D", "C", "B", "A"]],
    ["gainers", ["C", "B", "D", "A"]],
  ])("sorts by %s", async (sort, expected) => {
    await insertFour();
    expect(symbols(await fixture.read.get(`/tokens?sort=${sort}`))).toEqual(expected);
    expect(symbols(await fixture.read.get(`/tokens?sort=${sort}&limit=2`))).toEqual(expected.slice(0, 2));
    expect(symbols(await fixture.read.get(`/tokens?sort=${sort}&q=name`))).toEqual(expected);
    expect(symbols(await fixture.read.get(`/tokens?sort=${sort}&q=name&limit=3`))).toEqual(expected.slice(0, 3));
  });

  test.each(["volume", "market_cap", "new", "gainers"])(
    "puts featured tokens first when sorted by %s",
    async (sort) => {
      await insertFour();
      const featured = [toAddress(1_004), toAddress(1_001).toUpperCase().replace("0X", "0x")];
      const app = await createReadApp(fixture.database.db, { FEATURED_TOKENS: featured.join(",") });
      for (const query of [`sort=${sort}`, `sort=${sort}&q=name`]) {
        const answer = await app.get(`/tokens?${query}`);
        expect(answer.json.items.map((item: any) => item.featured)).toEqual([true, true, false, false]);
        expect(symbols(answer).slice(0, 2).sort()).toEqual(["A", "D"]);
        expect(answer.json.total).toBe(4);
      }
      expect(symbols(await app.get(`/tokens?sort=${sort}&limit=1`))[0]).toMatch(/A|D/);
      expect(symbols(await app.get(`/tokens?sort=${sort}&q=Name B`.replaceAll(" ", "%20")))).toEqual(["B"]);
    },
  );

  test("returns every figure of a token, in USD of the latest observation", async () => {
    await insertFour();
    await insert(fixture.database.db, "chain.splitters", { address: toAddress(4_001), proven: true, block_number: 1 });
    const { json } = await fixture.read.get("/tokens?q=Name%20A");
    const [token] = json.items;
    expect(token).toMatchObject({
      address: "0x00000000000000000000000000000000000003e9",
      chain_id: 46630,
      name: "Name A",
      decimals: 18,
      image_url: null,
      fee_bps: 100,
      fee_policy: { total_bps: 100, protocol_bps: 10, collaborators_bps: 90 },
      source: "own",
      volume_24h_usd: 1,
      price_change_24h_pct: -50,
      market_cap_usd: 8_000,
      buys_24h: 0,
      sells_24h: 0,
      traders_24h: 0,
      holders: 0,
      block_number: 101,
      launched_at: new Date((headTime - 90_000 + 1) * 1000).toISOString(),
      warnings: [],
    });
    expect(token.price_usd).toBeCloseTo(token.price_eth * 2_000, 12);
    expect(token.fdv_usd).toBeCloseTo(token.price_eth * 1e9 * 2_000, 6);
    expect(token.liquidity_usd).toBeGreaterThan(0);
    expect(json.as_of).toEqual({
      block_number: 4_990,
      timestamp: new Date((headTime - 60) * 1000).toISOString(),
      finality: "soft",
    });
  });

  test("returns null USD figures and sorts by native volume without a USD price", async () => {
    await insertFour();
    await fixture.database.db.indexer.query("delete from chain.eth_usd");
    fixture.read.setManifest(pinnedState({ ...testManifest, eth_usd: null }));
    const answer = await fixture.read.get("/tokens");
    expect(answer.json.quote).toBe("eth");
    expect(symbols(answer)).toEqual(["A", "C", "D", "B"]);
    const { price_usd, market_cap_usd, fdv_usd, liquidity_usd, price_eth } = answer.json.items[0];
    expect([price_usd, market_cap_usd, fdv_usd, liquidity_usd]).toEqual([null, null, null, null]);
    expect(price_eth).toBeGreaterThan(0);
  });

  test("finds text in name, symbol and address, any case, every character literal", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const names = ["100% Off_er", "1000 Offer", "back\\slash", "Ünï", "quote'\"", "x"];
    for (const [index, name] of names.entries()) await insertToken(db, index + 1, { name, symbol: `S${index}` });
    const found = async (q: string) =>
      symbols(await fixture.read.get(`/tokens?sort=new&q=${encodeURIComponent(q)}`)).sort();
    expect(await found("100%")).toEqual(["S0"]);
    expect(await found("%")).toEqual(["S0"]);
    expect(await found("_")).toEqual(["S0"]);
    expect(await found("f_e")).toEqual(["S0"]);
    expect(await found("OFF")).toEqual(["S0", "S1"]);
    expect(await found("\\")).toEqual(["S2"]);
    expect(await found("ÜNÏ")).toEqual(["S3"]);
    expect(await found("'\"")).toEqual(["S4"]);
    expect(await found("s5")).toEqual(["S5"]);
    expect(await found(toAddress(1_002).toUpperCase().replace("0X", "0x"))).toEqual(["S1"]);
    expect(await found("3ea")).toEqual(["S1"]);
    expect(await found("nothing like it")).toEqual([]);
    expect(await found("")).toHaveLength(6);
  });

  test("returns an empty list with a total of zero", async () => {
    await insertIndex(fixture.database.db);
    const { status, json } = await fixture.read.get("/tokens?q=nothing");
    expect(status).toBe(200);
    expect(json).toEqual({
      items: [],
      total: 0,
      quote: "eth",
      as_of: { block_number: 5_000, timestamp: new Date(headTime * 1000).toISOString(), finality: "soft" },
      next_cursor: null,
    });
  });

  test("accepts limits from 1 to 300, 50 by default", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    for (let id = 1; id <= 60; id++) await insertToken(db, id);
    expect((await fixture.read.get("/tokens")).json.items).toHaveLength(50);
    expect((await fixture.read.get("/tokens?limit=1")).json.items).toHaveLength(1);
    expect((await fixture.read.get("/tokens?limit=300")).json.items).toHaveLength(60);
    expect((await fixture.read.get("/tokens")).json.total).toBe(60);
  });

  test.each([
    "limit=0",
    "limit=301",
    "limit=-1",
    "limit=1.5",
    "limit=",
    "limit=abc",
    "limit=1e2",
    "limit=1&limit=2",
    "sort=",
    "sort=VOLUME",
    "sort=price",
    "sort=volume&sort=new",
    "direction=",
    "direction=ASC",
    "direction=up",
    "direction=asc&direction=desc",
    `q=${"x".repeat(201)}`,
    "q=%00",
    "q=a&q=b",
  ])("refuses %s", async (query) => {
    await insertIndex(fixture.database.db);
    const { status, json, headers } = await fixture.read.get(`/tokens?${query}`);
    expect([status, json.error.code]).toEqual([400, "invalid_query"]);
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("accepts a search of 200 characters", async () => {
    await insertIndex(fixture.database.db);
    expect((await fixture.read.get(`/tokens?q=${"x".repeat(200)}`)).status).toBe(200);
  });
});
