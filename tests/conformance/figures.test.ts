import { describe, expect, it } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { token } from "../support/conformance/validCalls.ts";

const path = { address: token };
const withFixture = describe.skipIf(target.fixture === null);

/** Quotes a trade with the pool's own code (QuoterV2). */
async function quote(side: "buy" | "sell", amountIn: string): Promise<number> {
  const body = { token, wallet: target.fixture!.trader, side, amount_in: amountIn, slippage_bps: 100 };
  const answer = await call("POST /trade/quote", { body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return Number(answer.body.amount_out);
}

withFixture("GET /tokens/{address}/depth", () => {
  const getDepth = async () => (await call("GET /tokens/{address}/depth", { path })).body;

  statusCase("GET /tokens/{address}/depth", 200, "is what the pool itself quotes", async () => {
    const { levels, liquidity } = await getDepth();
    expect(liquidity.in_range).toBe(liquidity.locked);
    for (const { side, token_amount, quote_amount, reached } of levels) {
      if (!reached) continue;
      const [paid, received] = side === "buy" ? [quote_amount, token_amount] : [token_amount, quote_amount];
      if (paid === "0") continue;
      expect((await quote(side, paid)) / Number(received)).toBeCloseTo(1, 9);
    }
  });
});

withFixture("GET /tokens/{address}/traders", () => {
  const getTraders = async (query = {}) => await call("GET /tokens/{address}/traders", { path, query });

  statusCase("GET /tokens/{address}/traders", 200, "values the trader's tokens by what the pool quotes", async () => {
    const { body } = await getTraders({ sort: "unrealized" });
    const own = body.items.find(({ address }: any) => address === target.fixture!.trader);
    const paid = (await quote("sell", own.amount)) / 1e18;
    expect(own.value_eth / paid).toBeCloseTo(1, 9);
    // The trader has only bought: its cost is more than the pool pays back, by the fees of both ways.
    expect(own.unrealized_eth).toBeLessThan(0);
    expect(body).toMatchObject({ complete: true, next_cursor: null });
  });

  it("lists no account that has never sold by realized profit", async () => {
    expect((await getTraders()).body.items).toEqual([]);
  });

  statusCase("GET /tokens/{address}/traders", 400, "refuses an unknown order, and a cursor of nothing", async () => {
    for (const [query, code] of [
      [{ sort: "profit" }, "invalid_query"],
      [{ limit: 101 }, "invalid_query"],
      [{ cursor: "1" }, "invalid_query"],
      [{ cursor: `1~0x${"5".repeat(40)}` }, "cursor_expired"],
    ] as const) {
      const { status, body } = await getTraders(query);
      expect([status, body.error.code]).toEqual([400, code]);
    }
  });
});

withFixture("GET /tokens/{address}/liquidity-changes", () => {
  const operation = "GET /tokens/{address}/liquidity-changes";
  const getChanges = async (query = {}) => await call(operation, { path, query });

  statusCase(operation, 200, "has no change while the launch's own liquidity is the only one", async () => {
    const { body } = await getChanges();
    expect(body).toMatchObject({ items: [], next_cursor: null });
    const pool = (await call("GET /tokens/{address}", { path })).body;
    expect(body.as_of.block_number).toBeGreaterThanOrEqual(pool.block_number);
  });

  statusCase(operation, 400, "refuses a limit beyond 1 to 300, and a cursor of nothing", async () => {
    for (const query of [{ limit: 0 }, { limit: 301 }, { cursor: "1" }, { cursor: "-1:0" }, { cursor: "1:0:0" }]) {
      const { status, body } = await getChanges(query);
      expect([status, body.error.code]).toEqual([400, "invalid_query"]);
    }
  });
});

withFixture("GET /analytics/history", () => {
  const getDays = async (query = {}) => await call("GET /analytics/history", { query });

  statusCase("GET /analytics/history", 200, "has a day for each day since the first launch", async () => {
    const { items, next_before } = (await getDays()).body;
    const { launches_total, trades_covered } = (await call("GET /analytics")).body;
    const sum = (name: string) => items.reduce((total: number, day: any) => total + day[name], 0);
    expect([sum("launches"), sum("trades"), next_before]).toEqual([launches_total, trades_covered, null]);
    expect(items.map(({ complete }: any) => complete)).toEqual([...items.slice(1).map(() => true), false]);
  });

  it("is a table with format=csv", async () => {
    const { headers, bytes } = await getDays({ format: "csv" });
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(Buffer.from(bytes).toString()).toMatch(/^date,launches,.*\r\n\d{4}-\d\d-\d\d,/);
  });
});

withFixture("GET /wallets/{address}/fees", () => {
  statusCase("GET /wallets/{address}/fees", 200, "lists releases, and has a table with format=csv", async () => {
    const path = { address: target.fixture!.recipients[0]!.wallet };
    const { body } = await call("GET /wallets/{address}/fees", { path });
    for (const { asset, amount } of body.items) expect([typeof asset, BigInt(amount) > 0n]).toEqual(["string", true]);
    const csv = await call("GET /wallets/{address}/fees", { path, query: { format: "csv" } });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(Buffer.from(csv.bytes).toString().trimEnd().split("\r\n")).toHaveLength(body.items.length + 1);
  });

  statusCase("GET /wallets/{address}/fees", 400, "refuses what is no address", async () => {
    for (const address of ["0x", "0x123", `0x${"0".repeat(40)}`]) {
      const { status, body } = await call("GET /wallets/{address}/fees", { path: { address } });
      expect([status, body.error.code]).toEqual([400, "invalid_address"]);
    }
  });
});

withFixture("GET /wallets/{address}/fees/pending", () => {
  const operation = "GET /wallets/{address}/fees/pending";
  const getPending = async (address: string, query = {}) => await call(operation, { path: { address }, query });

  statusCase(operation, 200, "is what GET /fees/pending has for the recipient", async () => {
    const { wallet, share_bps } = target.fixture!.recipients[0]!;
    const own = (await getPending(wallet)).body.items.find((item: any) => item.token === token);
    const pending = (await call("GET /fees/pending", { query: { token } })).body;
    const { amounts } = pending.recipients.find(
      (recipient: any) => recipient.wallet === own.splitter || recipient.wallet === wallet,
    );
    expect(own).toMatchObject({ share_bps, splitter: pending.splitter, error: null });
    expect(own.amounts.map(({ asset, amount }: any) => ({ asset, amount }))).toEqual(amounts);
  });

  it("is empty for a wallet that no splitter pays", async () => {
    const { body } = await getPending("0x00000000000000000000000000000000000C0de5");
    expect([body.items, body.next_cursor]).toEqual([[], null]);
  });

  statusCase(operation, 400, "refuses what is no address, and a cursor of nothing", async () => {
    const { wallet } = target.fixture!.recipients[0]!;
    for (const [address, query, code] of [
      ["0x12", {}, "invalid_address"],
      [wallet, { cursor: "x" }, "invalid_query"],
      [wallet, { cursor: `0x${"5".repeat(40)}` }, "cursor_expired"],
    ] as const) {
      const { status, body } = await getPending(address, query);
      expect([status, body.error.code]).toEqual([400, code]);
    }
  });
});
