import { indexedTokens } from "@slipway/protocol/indexed";
import { checksummed } from "@slipway/protocol/primitives";
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
const creator = toAddress(0xc0ffee);
const partner = toAddress(0xbeef);

type Get = (path: string) => Promise<{ status: number; json: any }>;

/** Fourteen tokens with equal and unknown values in every order; every second one is of the creator. */
async function insertFourteen(): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertEthUsd(db, 2_000, { block: 4_990, time: headTime - 60 });
  for (let id = 1; id <= 14; id++) {
    await insertToken(
      db,
      id,
      {
        ...(id % 2 === 0 ? { creator } : {}),
        ...(id % 5 === 0 ? { partner } : {}),
        block_time: headTime - 1_000 * id,
      },
      {
        volume_24h_usd: id % 3 === 0 ? null : String((id % 4) * 1_000_000),
        liquidity_quote: id % 4 === 0 ? null : id % 5,
        last_trade_time: id % 3 === 1 ? null : headTime - (id % 6) * 60,
        trades_24h: id % 4,
        change_24h_pct: (id % 5) - 2,
        market_cap: id % 3,
      },
    );
  }
}

async function readPage(get: Get, query: string) {
  const { status, json } = await get(`/tokens?${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(indexedTokens.parse(json)).toEqual(json);
  return json;
}

const symbols = (json: any): string[] => json.items.map(({ symbol }: { symbol: string }) => symbol);

/** Reads a list to its end. */
async function readAll(get: Get, query: string, start = ""): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = start; ; ) {
    const page = await readPage(get, `${query}${cursor}`);
    found.push(...symbols(page));
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

const sorts = ["volume", "market_cap", "new", "gainers", "losers", "liquidity", "trades", "last_trade"];
const directions = ["", "&direction=asc", "&direction=desc"];
const orders = sorts.flatMap((sort) => directions.map((direction) => `${sort}${direction}`));
const ids = Array.from({ length: 14 }, (_, n) => n + 1);

/** The value of a token of `insertFourteen` in an order; null if unknown. */
const toValue: Readonly<Record<string, (id: number) => number | null>> = {
  volume: (id) => (id % 3 === 0 ? null : id % 4),
  market_cap: (id) => id % 3,
  new: (id) => id,
  gainers: (id) => id % 5,
  losers: (id) => id % 5,
  liquidity: (id) => (id % 4 === 0 ? null : id % 5),
  trades: (id) => id % 4,
  last_trade: (id) => (id % 3 === 1 ? null : -(id % 6)),
};

/** The tokens of `insertFourteen` in an order: unknown values last, then equal values in the direction of the order. */
function toExpected(sort: string, isAscending: boolean): string[] {
  const sign = isAscending ? 1 : -1;
  const compare = (a: number, b: number) => {
    const [first, second] = [toValue[sort]!(a), toValue[sort]!(b)];
    if ((first === null) !== (second === null)) return first === null ? 1 : -1;
    return sign * ((first ?? 0) - (second ?? 0) || a - b);
  };
  return ids.toSorted(compare).map((id) => `T${id}`);
}

describe("pages of GET /tokens", () => {
  test.each(orders)("visit every token once, sorted by %s, with featured tokens first", async (order) => {
    await insertFourteen();
    const featured = [toAddress(1_003), toAddress(1_006), toAddress(1_013)];
    const { get } = await createReadApp(fixture.database.db, { FEATURED_TOKENS: featured.join(",") });
    const whole = symbols(await readPage(get, `sort=${order}&limit=300`));
    expect(new Set(whole).size).toBe(14);
    expect(whole.slice(0, 3).toSorted()).toEqual(["T13", "T3", "T6"]);
    for (const limit of [1, 2, 3, 5]) expect(await readAll(get, `sort=${order}&limit=${limit}`)).toEqual(whole);
    const searched = symbols(await readPage(get, `sort=${order}&q=token&limit=300`));
    expect(searched).toEqual(whole);
    expect(await readAll(get, `sort=${order}&q=token&limit=4`)).toEqual(whole);
    const own = whole.filter((symbol) => Number(symbol.slice(1)) % 2 === 0);
    expect(await readAll(get, `sort=${order}&creator=${creator}&limit=2`)).toEqual(own);
  });

  test.each(sorts)("sort by %s in both directions, unknown values last and equal values by age", async (sort) => {
    await insertFourteen();
    const { get } = fixture.read;
    const ascending = toExpected(sort, true);
    const descending = toExpected(sort, false);
    expect(symbols(await readPage(get, `sort=${sort}&direction=asc`))).toEqual(ascending);
    expect(symbols(await readPage(get, `sort=${sort}&direction=desc`))).toEqual(descending);
    expect(await readAll(get, `sort=${sort}&direction=asc&limit=1`)).toEqual(ascending);
    expect(await readAll(get, `sort=${sort}&direction=desc&limit=1`)).toEqual(descending);
    expect(symbols(await readPage(get, `sort=${sort}`))).toEqual(sort === "losers" ? ascending : descending);
  });

  test("sort by native volume in both directions without a USD price", async () => {
    await insertFourteen();
    await fixture.database.db.indexer.query("delete from chain.eth_usd");
    await fixture.database.db.indexer.query("update chain.token_state set volume_24h_quote = token_id % 3");
    fixture.read.setManifest(pinnedState({ ...testManifest, eth_usd: null }));
    const { get } = fixture.read;
    for (const direction of ["asc", "desc"]) {
      const expected = toExpected("market_cap", direction === "asc");
      expect(symbols(await readPage(get, `direction=${direction}`))).toEqual(expected);
      expect(await readAll(get, `direction=${direction}&limit=3`)).toEqual(expected);
    }
  });

  test("neither repeat nor skip a token when others are launched meanwhile", async () => {
    await insertFourteen();
    const { get, deps } = fixture.read;
    for (const [index, sort] of ["new", "volume", "liquidity", "trades&direction=asc"].entries()) {
      const whole = symbols(await readPage(get, `sort=${sort}`));
      const first = await readPage(get, `sort=${sort}&limit=5`);
      const id = 20 + index;
      await insertToken(
        fixture.database.db,
        id,
        { block_number: 1_000 + id },
        { volume_24h_usd: "9000000", liquidity_quote: 99 },
      );
      await insert(fixture.database.db, "chain.outbox", {
        block_number: id,
        kind: "state",
        payload: JSON.stringify({ tokens: [toAddress(1_000 + id)] }),
      });
      await deps.readModel.sync();
      const rest = await readAll(get, `sort=${sort}&limit=5`, `&cursor=${first.next_cursor}`);
      expect([...symbols(first), ...rest].filter((symbol) => Number(symbol.slice(1)) < 20)).toEqual(
        whole.filter((symbol) => Number(symbol.slice(1)) < 20),
      );
      // The ascending order has the new token after the old ones of equal value.
      expect(rest.includes(`T${id}`)).toBe(sort.endsWith("asc"));
      expect(symbols(await readPage(get, `sort=${sort}`))).toContain(`T${id}`);
    }
  });

  test("C4-49 refuses a cursor of another query, a changed one, and the place of a removed token", async () => {
    await insertFourteen();
    const { get, deps } = fixture.read;
    const { next_cursor: cursor } = await readPage(get, "sort=new&limit=5");
    const refuse = async (query: string) => {
      const { status, json } = await get(`/tokens?${query}`);
      return [status, json.error.code];
    };
    for (const query of [
      `sort=volume&cursor=${cursor}`,
      `sort=new&direction=asc&cursor=${cursor}`,
      `sort=new&q=token&cursor=${cursor}`,
      `sort=new&creator=${creator}&cursor=${cursor}`,
      `sort=new&cursor=${cursor}x`,
      `sort=new&cursor=${"A".repeat(40)}`,
      "sort=new&cursor=",
      `sort=new&cursor=${"A".repeat(513)}`,
    ]) {
      expect(await refuse(query), query).toEqual([400, "invalid_query"]);
    }
    expect((await readPage(get, `sort=new&limit=3&cursor=${cursor}`)).items).toHaveLength(3);
    // The direction that the order has without the parameter.
    expect((await readPage(get, `sort=new&direction=desc&limit=3&cursor=${cursor}`)).items).toHaveLength(3);
    const upward = await readPage(get, "sort=new&direction=asc&limit=5");
    for (const query of ["sort=new", "sort=new&direction=desc", "sort=volume&direction=asc"]) {
      expect(await refuse(`${query}&cursor=${upward.next_cursor}`), query).toEqual([400, "invalid_query"]);
    }
    await fixture.database.db.indexer.query("delete from chain.tokens where id = 10");
    const payload = JSON.stringify({ tokens: [toAddress(1_010)] });
    await insert(fixture.database.db, "chain.outbox", { block_number: 10, kind: "state", payload });
    await deps.readModel.sync();
    expect(await refuse(`sort=new&limit=5&cursor=${cursor}`)).toEqual([400, "cursor_expired"]);
  });
});

describe("filters of GET /tokens", () => {
  const list = async (query: string) => {
    const json = await readPage(fixture.read.get, `sort=new&${query}`);
    expect(json.total).toBe(json.items.length);
    return symbols(json).map((symbol) => Number(symbol.slice(1)));
  };
  const newestFirst = (keep: (id: number) => boolean) => ids.filter(keep).toReversed();

  test("select by creator, partner, age, volume and liquidity, and combine", async () => {
    await insertFourteen();
    expect(await list(`creator=${creator}`)).toEqual(newestFirst((id) => id % 2 === 0));
    expect(await list(`creator=${checksummed(creator)}`)).toEqual(newestFirst((id) => id % 2 === 0));
    expect(await list(`partner=${partner}`)).toEqual([10, 5]);
    expect(await list("max_age_seconds=3999")).toEqual([3, 2, 1]);
    expect(await list("max_age_seconds=4000")).toEqual([4, 3, 2, 1]);
    expect(await list("min_volume_usd_24h=2")).toEqual(newestFirst((id) => id % 3 > 0 && id % 4 >= 2));
    expect(await list("min_volume_usd_24h=0")).toEqual(newestFirst((id) => id % 3 > 0));
    expect(await list("min_liquidity_usd=4000")).toEqual(newestFirst((id) => id % 4 > 0 && id % 5 >= 2));
    expect(await list(`creator=${creator}&partner=${partner}`)).toEqual([10]);
    expect(await list(`creator=${creator}&q=T1`)).toEqual([14, 12, 10]);
    expect(await list(`creator=${toAddress(9)}`)).toEqual([]);
    expect(await list("min_liquidity_usd=4000&min_volume_usd_24h=1&max_age_seconds=9000")).toEqual([7, 2]);
  });

  test("list no token by liquidity in USD while ETH/USD is unknown", async () => {
    await insertFourteen();
    await fixture.database.db.indexer.query("delete from chain.eth_usd");
    expect(await list("min_liquidity_usd=0")).toEqual([]);
  });

  test("list no blocked token", async () => {
    await insertFourteen();
    await insert(fixture.database.db, "app.blocked_tokens", {
      token: toAddress(1_004),
      blocked_at: new Date(),
    });
    await fixture.read.deps.readModel.sync();
    expect(await list(`creator=${creator}`)).toEqual(newestFirst((id) => id % 2 === 0 && id !== 4));
    expect(await list("q=token")).not.toContain(4);
  });

  test("C3-05 a page examines a bounded number of tokens, and the next page continues there", async () => {
    await insertIndex(fixture.database.db);
    await insertToken(fixture.database.db, 1);
    const { indexer } = fixture.database.db;
    // Both conditions are common, and only three tokens meet both.
    await indexer.query(`insert into chain.tokens overriding system value
      select (jsonb_populate_record(t, jsonb_build_object('id', n, 'address', '0x2' || lpad(to_hex(n), 39, '0'), 'symbol', 'S' || n,
        'pool', '0x1' || lpad(to_hex(n), 39, '0'), 'block_number', 1000 + n,
        'creator', case when n <= 4000 or n > 7997 then '${creator}' else '${toAddress(3)}' end,
        'partner', case when n > 4000 then '${partner}' end))).*
      from chain.tokens t, generate_series(2, 8000) n where t.id = 1`);
    await indexer.query(`insert into chain.token_state
      select (jsonb_populate_record(s, jsonb_build_object('token_id', n))).* from chain.token_state s, generate_series(2, 8000) n`);
    await fixture.read.deps.readModel.sync();
    const query = `creator=${creator}&partner=${partner}`;
    for (const sort of ["new", "market_cap", "losers", "new&direction=asc", "volume&direction=asc"]) {
      expect((await readAll(fixture.read.get, `sort=${sort}&${query}`)).toSorted()).toEqual([
        "S7998",
        "S7999",
        "S8000",
      ]);
    }
    const first = await readPage(fixture.read.get, `sort=losers&${query}`);
    expect([first.items, first.total, first.next_cursor === null]).toEqual([[], 1_000, false]);
    // A featured token must meet the conditions too.
    const featured = [5, 7_999].map((n) => `0x2${n.toString(16).padStart(39, "0")}`);
    const { get } = await createReadApp(fixture.database.db, { FEATURED_TOKENS: featured.join(",") });
    expect(symbols(await readPage(get, `sort=losers&${query}`))).toEqual(["S7999"]);
  });

  test.each([
    ...["creator=0x12", "partner=x", `creator=${toAddress(0)}`, "max_age_seconds=-1", "max_age_seconds=x"],
    ...["min_liquidity_usd=1e3", "min_volume_usd_24h=-5", "min_volume_usd_24h=1.5", "max_age_seconds=99999999999"],
  ])("refuse %s", async (query) => {
    await insertIndex(fixture.database.db);
    expect((await fixture.read.get(`/tokens?${query}`)).json.error.code).toBe("invalid_query");
  });
});

describe("GET /tokens?addresses=", () => {
  const wanted = [1_003, 1_099, 1_001, 1_014].map(toAddress);

  test("answers the tokens in the order of the addresses, and names the unknown ones", async () => {
    await insertFourteen();
    const json = await readPage(fixture.read.get, `addresses=${wanted.map(checksummed).join(",")}`);
    expect(symbols(json)).toEqual(["T3", "T1", "T14"]);
    expect(json).toMatchObject({ total: 3, next_cursor: null, unknown: [checksummed(wanted[1]!)] });
    const [, second] = json.items;
    const listed = await readPage(fixture.read.get, "sort=new");
    expect(listed.items.at(-1)).toEqual(second);
    expect(listed.unknown).toBeUndefined();
  });

  test("answers 100 addresses, and a blocked token with its warning", async () => {
    await insertFourteen();
    await insert(fixture.database.db, "app.blocked_tokens", {
      token: toAddress(1_001),
      blocked_at: new Date(),
    });
    const hundred = Array.from({ length: 100 }, (_, n) => toAddress(1_001 + n));
    const json = await readPage(fixture.read.get, `addresses=${hundred.join(",")}`);
    expect([json.items.length, json.unknown.length]).toEqual([14, 86]);
    expect(json.items[0].warnings[0].code).toBe("blocked");
  });

  test.each([
    ...["", "x", "0x12", `${toAddress(1)},`, `${toAddress(1)} ,${toAddress(2)}`, `${toAddress(1)},${toAddress(1)}`],
    ...[Array.from({ length: 101 }, (_, n) => toAddress(n + 1)).join(",")],
    ...[
      `${toAddress(1)}&q=a`,
      `${toAddress(1)}&direction=asc`,
      `${toAddress(1)}&creator=${creator}`,
      `${toAddress(1)}&max_age_seconds=5`,
    ],
  ])("refuses %s", async (addresses) => {
    await insertIndex(fixture.database.db);
    const { status, json } = await fixture.read.get(`/tokens?addresses=${addresses.replace(" ", "%20")}`);
    expect([status, json.error.code, json.error.field]).toEqual([400, "invalid_query", "addresses"]);
  });
});
