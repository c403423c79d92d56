import { describe, expect, it } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { token } from "../support/conformance/validCalls.ts";

const path = { address: token };
const trades = (query = {}) => call("GET /tokens/{address}/trades", { path, query });
const candles = (query = {}) => call("GET /tokens/{address}/candles", { path, query });
const withFixture = describe.skipIf(target.fixture === null);

withFixture("GET /tokens/{address}/trades", () => {
  statusCase("GET /tokens/{address}/trades", 200, "lists the swaps in descending chain order", async () => {
    const { items } = (await trades()).body;
    const order = items.map((item: any) => [item.block_number, item.log_index]);
    expect(order).toEqual([...order].sort((a, b) => b[0] - a[0] || b[1] - a[1]));
    expect(items.map(({ tx_hash }: any) => tx_hash)).toEqual([...target.fixture!.swaps].reverse());
    for (const item of items) {
      expect(item.id).toBe(`${item.tx_hash}:${item.log_index}`);
      const { trader } = target.fixture!;
      expect(item).toMatchObject({ side: "buy", maker: trader, account: trader, account_source: "transfers" });
      expect(BigInt(item.token_amount)).toBeGreaterThan(0n);
    }
  });

  it("shows the newest first when limited, and takes 1 to 300", async () => {
    expect((await trades({ limit: 1 })).body.items.map(({ tx_hash }: any) => tx_hash)).toEqual([
      target.fixture!.swaps.at(-1),
    ]);
    expect((await trades({ limit: 300 })).status).toBe(200);
  });

  statusCase("GET /tokens/{address}/trades", 400, "refuses a limit beyond 1 to 300", async () => {
    for (const limit of [0, 301, -1, "x", "1.0", ""]) {
      const { status, body } = await trades({ limit });
      expect([status, body.error.code, body.error.field], `${limit}`).toEqual([400, "invalid_query", "limit"]);
    }
  });
});

withFixture("GET /tokens/{address}/candles", () => {
  statusCase("GET /tokens/{address}/candles", 200, "answers hours when no interval is given", async () => {
    const { body } = await candles();
    expect(body.interval).toBe("1h");
    expect(body).toEqual((await candles({ interval: "1h", limit: 300 })).body);
  });

  it.each([
    ["1m", 60],
    ["5m", 300],
    ["1h", 3600],
    ["1d", 86400],
  ])("answers ascending buckets of %s that start on its multiples", async (interval, seconds) => {
    const { items } = (await candles({ interval })).body;
    expect(items.length).toBeGreaterThan(0);
    const times = items.map(({ t }: any) => t);
    expect(times).toEqual([...new Set(times)].sort((a: any, b: any) => a - b));
    for (const { t, o, h, l, c, n } of items) {
      expect(t % Number(seconds)).toBe(0);
      expect([h >= o, h >= c, l <= o, l <= c, l > 0, n > 0]).toEqual(Array(6).fill(true));
    }
    expect(items.reduce((sum: number, { n }: any) => sum + n, 0)).toBe(target.fixture!.swaps.length);
  });

  it("opens each bucket at the close before it", async () => {
    const { items } = (await candles({ interval: "1m" })).body;
    for (let index = 1; index < items.length; index++) expect(items[index].o).toBe(items[index - 1].c);
  });

  it("has one quote: USD with volumes, or ETH without", async () => {
    const { body } = await candles({ interval: "1m" });
    expect(body.quote).toBe(body.price_usd_available ? "usd" : "eth");
    expect(body.items.every(({ v }: any) => (body.price_usd_available ? v !== null : v === null))).toBe(true);
  });

  it("shows the newest buckets when limited, and those before a time when asked", async () => {
    const all = (await candles({ interval: "1m" })).body.items;
    expect((await candles({ interval: "1m", limit: 1 })).body.items).toEqual(all.slice(-1));
    expect((await candles({ interval: "1m", before: all[0].t })).body.items).toEqual([]);
    expect((await candles({ interval: "1m", before: all.at(-1).t + 1 })).body.items).toEqual(all);
  });

  statusCase(
    "GET /tokens/{address}/candles",
    400,
    "refuses an unknown interval, a limit beyond 1 to 300 and a wrong time",
    async () => {
      const refused: [string, string | number][] = [
        ["interval", "2m"],
        ["interval", ""],
        ["interval", "1H"],
        ["limit", 0],
        ["limit", 301],
        ["limit", "x"],
        ["before", "yesterday"],
        ["before", -1],
        ["before", "1.5"],
      ];
      for (const [name, value] of refused) {
        const { status, body } = await candles({ [name]: value });
        expect([status, body.error.code, body.error.field], `${name}=${value}`).toEqual([400, "invalid_query", name]);
      }
    },
  );
});
