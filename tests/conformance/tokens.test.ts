import { describe, expect, it } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { token, unknownToken } from "../support/conformance/validCalls.ts";

type Item = Record<string, any>;
const list = async (query: Record<string, string | number> = {}) => (await call("GET /tokens", { query })).body;
const addresses = (items: Item[]) => items.map(({ address }) => address);

/** Checks for an order with nulls last. */
function isSorted(values: (number | null)[], direction: "asc" | "desc"): boolean {
  const sign = direction === "asc" ? -1 : 1;
  return values.every((value, index) => {
    const before = index === 0 ? sign * Number.POSITIVE_INFINITY : (values[index - 1] as number | null);
    return value === null || (before !== null && sign * before >= sign * value);
  });
}
const isDescending = (values: (number | null)[]) => isSorted(values, "desc");

describe("GET /tokens", () => {
  statusCase("GET /tokens", 200, "lists tokens with total, quote and the block of the last change", async () => {
    const body = await list();
    expect(body.total).toBeGreaterThanOrEqual(body.items.length);
    expect(body.items.length).toBeLessThanOrEqual(50);
    expect(body.as_of.block_number).toBeGreaterThan(0);
  });

  it("sorts by volume when no sort is given", async () => {
    const { items } = await list();
    const featured = items.filter((item: Item) => item.featured).length;
    expect(isDescending(items.slice(featured).map((item: Item) => item.volume_24h_usd))).toBe(true);
  });

  it.each([
    ["volume", (item: Item) => item.volume_24h_usd],
    ["market_cap", (item: Item) => item.market_cap_usd],
    ["gainers", (item: Item) => item.price_change_24h_pct],
    ["new", (item: Item) => item.block_number],
  ])("sorts by %s, featured first, the unknown last", async (sort, value) => {
    const { items } = await list({ sort, limit: 300 });
    const featured = items.filter((item: Item) => item.featured).length;
    expect(items.slice(0, featured).every((item: Item) => item.featured)).toBe(true);
    expect(isDescending(items.slice(0, featured).map(value))).toBe(true);
    expect(isDescending(items.slice(featured).map(value))).toBe(true);
  });

  it.each([
    ["volume", (item: Item) => item.volume_24h_usd],
    ["market_cap", (item: Item) => item.market_cap_usd],
    ["gainers", (item: Item) => item.price_change_24h_pct],
    ["losers", (item: Item) => item.price_change_24h_pct],
    ["liquidity", (item: Item) => item.liquidity_usd],
    ["new", (item: Item) => item.block_number],
  ])("sorts by %s in both directions, each with its own pages", async (sort, value) => {
    for (const direction of ["asc", "desc"] as const) {
      const first = await list({ sort, direction, limit: 300 });
      const featured = first.items.filter((item: Item) => item.featured).length;
      expect(isSorted(first.items.slice(0, featured).map(value), direction)).toBe(true);
      expect(isSorted(first.items.slice(featured).map(value), direction)).toBe(true);
    }
    const { items, next_cursor: cursor } = await list({ sort, direction: "asc", limit: 1 });
    if (cursor === null) return;
    const second = await list({ sort, direction: "asc", limit: 1, cursor });
    expect(second.items[0].address).not.toBe(items[0].address);
    const { status, body } = await call("GET /tokens", { query: { sort, direction: "desc", cursor } });
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid_query", "cursor"]);
  });

  statusCase(
    "GET /tokens",
    400,
    "refuses an unknown sort, a limit beyond 1 to 300 and a q beyond 200 characters",
    async () => {
      const refused: [string, string | number][] = [
        ["sort", "price"],
        ["sort", ""],
        ["sort", "VOLUME"],
        ["direction", "up"],
        ["direction", "DESC"],
        ["limit", 0],
        ["limit", 301],
        ["limit", -1],
        ["limit", "1.5"],
        ["limit", "abc"],
        ["limit", ""],
        ["limit", "1e2"],
        ["limit", "99999999999999999999"],
        ["q", "x".repeat(201)],
        ["q", "a\u0000b"],
      ];
      for (const [name, value] of refused) {
        const { status, body } = await call("GET /tokens", { query: { [name]: value } });
        expect([status, body.error.code, body.error.field], `${name}=${value}`).toEqual([400, "invalid_query", name]);
      }
    },
  );

  it("takes limits of 1 and 300 and a q of 200 characters", async () => {
    expect((await list({ limit: 1 })).items.length).toBeLessThanOrEqual(1);
    expect((await list({ limit: 300 })).items.length).toBeLessThanOrEqual(300);
    expect((await list({ q: "x".repeat(200) })).items).toEqual([]);
  });

  it("refuses a parameter that is given twice", async () => {
    const response = await fetch(`${target.baseUrl}/tokens?limit=1&limit=2`);
    expect(response.status).toBe(400);
  });

  it("finds by name, symbol and address in any case, and takes no character for a pattern", async () => {
    if (target.fixture === null) return;
    for (const q of [
      "Conformance Kite",
      "conformance",
      "kite",
      token,
      token.toLowerCase(),
      token.slice(2, 12).toUpperCase(),
    ]) {
      expect(addresses((await list({ q, limit: 300 })).items), q).toContain(token);
    }
    for (const q of ["%", "_", "Kit_", "K%e", "\\", "'", "Kite' or '1'='1"]) {
      expect(addresses((await list({ q, limit: 300 })).items), q).not.toContain(token);
    }
  });

  it("counts in total what matches, not what is shown", async () => {
    const all = await list({ limit: 300 });
    expect((await list({ limit: 1 })).total).toBe(all.total);
    expect((await list({ q: "no token has this name" })).total).toBe(0);
  });
});

describe("GET /tokens/{address}", () => {
  statusCase(
    "GET /tokens/{address}",
    200,
    "shows the token with launch record, pool, windows and latest trades",
    async () => {
      const { body } = await call("GET /tokens/{address}", { path: { address: token } });
      const fixture = target.fixture!;
      expect(body).toMatchObject({
        address: fixture.token,
        name: "Conformance Kite",
        symbol: "KITE",
        decimals: 18,
        description: "Launched by the conformance run.",
        website: "https://kite.example/",
        total_supply: String(10n ** 27n),
        creator: fixture.creator,
        splitter: fixture.splitter,
        pool: fixture.pool,
        fee_bps: 100,
        fee_policy: { total_bps: 100, protocol_bps: 10, collaborators_bps: 90 },
        source: "own",
        liquidity_lock: { percent_locked: 100, withdrawable: false },
        security: { mintable: false, pausable: false, owner: null, permit: true },
        quote_token: target.weth,
        chain_id: target.chainId,
      });
      expect(body.recipients.map(({ wallet, share_bps }: Item) => ({ wallet, share_bps }))).toEqual(fixture.recipients);
      expect(body.trades.map(({ tx_hash }: Item) => tx_hash)).toEqual(expect.arrayContaining(fixture.swaps));
      expect(body.trades.length).toBeLessThanOrEqual(50);
    },
    { signs: true },
  );

  it("takes the address in any case and answers it checksummed", async () => {
    if (target.fixture === null) return;
    for (const address of [token.toLowerCase(), `0x${token.slice(2).toUpperCase()}`]) {
      expect((await call("GET /tokens/{address}", { path: { address } })).body.address).toBe(token);
    }
  });
});

const below = [
  ...["GET /tokens/{address}", "GET /tokens/{address}/trades", "GET /tokens/{address}/candles"],
  ...["GET /tokens/{address}/holders", "GET /tokens/{address}/traders", "GET /tokens/{address}/depth"],
  "GET /tokens/{address}/liquidity-changes",
  "GET /tokens/{address}/facts",
  "GET /tokens/{address}/vesting",
] as const;

describe.each(below)("%s", (operation) => {
  statusCase(operation, 404, "answers 404 for a token that was never launched", async () => {
    const { status, body } = await call(operation, { path: { address: unknownToken } });
    expect([status, body.error.code]).toEqual([404, "token_not_indexed"]);
  });

  statusCase(operation, 400, "refuses what is no address", async () => {
    const wrong = [
      "0x",
      "0x123",
      token.slice(0, -1),
      `${token}0`,
      token.slice(2),
      token.replace(/.$/, "g"),
      `0x${"0".repeat(40)}`,
      "%00",
      "..%2f",
      "0X".concat(token.slice(2)),
    ];
    for (const address of wrong) {
      const { status, body } = await call(operation, { path: { address } });
      expect([status, body.error.code], address).toEqual([400, "invalid_address"]);
    }
  });
});
