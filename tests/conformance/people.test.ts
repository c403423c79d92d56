import { describe, expect, it } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, caller, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { someWallet, token } from "../support/conformance/validCalls.ts";

const withFixture = describe.skipIf(target.fixture === null);
const getWallet = (address: string, query = {}) => call("GET /wallets/{address}", { path: { address }, query });
const path = { address: token };
const unknownTrade = `0x${"5".repeat(64)}:0`;

withFixture("GET /wallets/{address}", () => {
  statusCase("GET /wallets/{address}", 200, "lists what the trader bought, and its trades, newest first", async () => {
    const { trader, swaps } = target.fixture!;
    const { body } = await getWallet(trader);
    const held = body.holdings.find((own: any) => own.token.address === token);
    const bought = (await call("GET /tokens/{address}/trades", { path })).body.items;
    const sum = bought.reduce((total: bigint, trade: any) => total + BigInt(trade.token_amount), 0n);
    expect(held.amount).toBe(sum.toString());
    expect(held.share_of_supply).toBeCloseTo(Number(sum) / 1e27, 12);
    expect(held.token).toMatchObject({ name: "Conformance Kite", symbol: "KITE" });
    const own = body.trades.filter((trade: any) => trade.token.address === token);
    expect(own.map(({ tx_hash }: any) => tx_hash)).toEqual([...swaps].reverse());
    expect(body.profit.method).toBe("average_cost");
  });

  it("lists a creator's launches, and what a recipient of their fees may claim", async () => {
    const { creator, recipients, splitter } = target.fixture!;
    const { launches } = (await getWallet(creator)).body;
    expect(launches.find((launch: any) => launch.token.address === token)).toMatchObject({ splitter });
    for (const { wallet, share_bps } of recipients) {
      const { recipient_of } = (await getWallet(wallet.toLowerCase())).body;
      const own = recipient_of.find((part: any) => part.token.address === token);
      expect(own).toMatchObject({ splitter, share_bps });
      expect(own.claimable.map(({ asset }: any) => asset)).toEqual([token, expect.stringMatching(/^0x/)]);
    }
  });

  it("is empty for an address that nothing is known of", async () => {
    const { body } = await getWallet("0x00000000000000000000000000000000000C0de5");
    expect(body).toMatchObject({ holdings: [], launches: [], recipient_of: [], trades: [], next_cursor: null });
    expect(body.profit).toEqual({ method: "average_cost", realized_usd: 0, realized_eth: 0 });
  });

  statusCase("GET /wallets/{address}", 400, "refuses what is no address, and a cursor of nothing", async () => {
    for (const address of ["0x", "0x123", someWallet.slice(2), `0x${"0".repeat(40)}`]) {
      const { status, body } = await getWallet(address);
      expect([status, body.error.code]).toEqual([400, "invalid_address"]);
    }
    const gone = await getWallet(someWallet, { cursor: `~~~${unknownTrade}` });
    expect([gone.status, gone.body.error.code]).toEqual([400, "cursor_expired"]);
  });
});

withFixture("GET /tokens/{address}/holders", () => {
  const getHolders = (query = {}) => call("GET /tokens/{address}/holders", { path, query });

  statusCase("GET /tokens/{address}/holders", 200, "lists all balances, largest first, in pages", async () => {
    const { items } = (await getHolders({ limit: 300 })).body;
    const amounts = items.map(({ amount }: any) => BigInt(amount));
    expect(amounts.reduce((a: bigint, b: bigint) => a + b, 0n)).toBe(10n ** 27n);
    expect(items.find(({ label }: any) => label === "pool").address).toBe(target.fixture!.pool);
    expect(items.find(({ address }: any) => address === target.fixture!.trader).label).toBeNull();
    const first = (await getHolders({ limit: 1 })).body;
    const second = (await getHolders({ limit: 1, cursor: first.next_cursor })).body;
    expect([...first.items, ...second.items]).toEqual(items.slice(0, 2));
  });

  statusCase(
    "GET /tokens/{address}/holders",
    400,
    "refuses a limit beyond 1 to 300 and a cursor of nothing",
    async () => {
      for (const [query, code] of [
        [{ limit: 301 }, "invalid_query"],
        [{ cursor: "1" }, "invalid_query"],
        [{ cursor: `1~0x${"5".repeat(40)}` }, "cursor_expired"],
      ] as const) {
        const { status, body } = await getHolders(query);
        expect([status, body.error.code]).toEqual([400, code]);
      }
    },
  );
});

withFixture("GET /tokens/{address}/trades with before, account, maker and side", () => {
  const getTrades = async (query = {}) => (await call("GET /tokens/{address}/trades", { path, query })).body;

  it("pages back to the first trade", async () => {
    const all = (await getTrades()).items;
    expect((await getTrades()).next_before).toBeNull();
    expect((await getTrades({ limit: 1 })).next_before).toBe(all[0].id);
    const page = await getTrades({ before: all[0].id, limit: 1 });
    expect(page.items).toEqual([all[1]]);
    const last = await getTrades({ before: page.next_before });
    expect(last).toEqual({ items: all.slice(2), next_before: null });
  });

  it("narrows them to an account, a maker and a side", async () => {
    const all = (await getTrades()).items;
    const { trader } = target.fixture!;
    expect(await getTrades({ maker: trader })).toEqual({ items: all, next_before: null });
    expect(await getTrades({ maker: trader, side: "sell" })).toEqual({ items: [], next_before: null });
    expect((await getTrades({ side: "buy" })).items).toEqual(all);
    expect((await getTrades({ maker: someWallet })).items).toEqual([]);
    expect(await getTrades({ account: trader })).toEqual({ items: all, next_before: null });
    expect(await getTrades({ account: trader, maker: trader })).toEqual({ items: all, next_before: null });
    expect(await getTrades({ account: trader, side: "sell" })).toEqual({ items: [], next_before: null });
    expect((await getTrades({ account: someWallet })).items).toEqual([]);
    expect((await getTrades({ account: trader, maker: someWallet })).items).toEqual([]);
  });

  statusCase("GET /tokens/{address}/trades", 400, "refuses an id that is no trade's", async () => {
    const answer = await call("GET /tokens/{address}/trades", { path, query: { before: unknownTrade } });
    expect([answer.status, answer.body.error.code]).toEqual([400, "cursor_expired"]);
  });
});

describe("GET /recipients", () => {
  const find = (query: Record<string, string>) => call("GET /recipients", { query });

  statusCase("GET /recipients", 404, "says nothing of an unproven handle", async () => {
    const { status, body } = await find({ provider: "social", handle: "nobody_at_all" });
    expect([status, body.error.code]).toEqual([404, "recipient_not_found"]);
  });

  statusCase("GET /recipients", 400, "refuses a provider without handles", async () => {
    const { status, body } = await find({ provider: "wallet", handle: "a" });
    expect([status, body.error.code, body.error.field]).toEqual([400, "invalid_query", "provider"]);
  });
});

describe("the payout wallet", () => {
  const change = (headers: Record<string, string>, payout_wallet: string | null) =>
    call("PATCH /api/account", { key: null, headers, body: { payout_wallet } });

  statusCase("PATCH /api/account", [200, 422], "is a wallet of the account, or none", async () => {
    const { wallet, headers } = await signIn(target.siteUrl);
    expect((await change(headers, wallet)).body.payout_wallet).toBe(wallet);
    expect((await change(headers, someWallet)).body.error).toMatchObject({
      code: "invalid_fields",
      field: "payout_wallet",
    });
    expect((await change(headers, null)).body.payout_wallet).toBeNull();
  });

  statusCase("PATCH /api/account", 403, "is not changed by an API key", async () => {
    const { headers } = await signIn(target.siteUrl);
    const made = await call("POST /api/account/keys", {
      key: null,
      headers,
      body: { name: "manager", scopes: ["account"] },
    });
    const body = { payout_wallet: null };
    const refused = await call("PATCH /api/account", { key: made.body.key, body });
    expect(refused.body.error.code).toBe("reauthentication_required");
    expect(caller.observed.has("PATCH /api/account 403")).toBe(true);
  });
});
