import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { checksummed } from "@slipway/protocol/primitives";
import { tokenDepth, tokenTraders } from "@slipway/protocol/tokenFigures";
import { beforeEach, describe, expect, test } from "vitest";
import {
  headTime,
  insert,
  insertAccount,
  insertEthUsd,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);
const ethUsd = 2_000;

/** A pool whose position is from 2^-20 to 2^20, at the price 4 (token0) or 1/4 (token1): rounded ticks. */
const liquidity = 10n ** 21n;
const [lower, upper] = [-138_600, 138_600];
const root = 2n ** 97n;
const priceOf = (isToken0: boolean) => (isToken0 ? 4 : 0.25);

async function insertPool(isToken0: boolean, state: Record<string, unknown> = {}): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertEthUsd(db, ethUsd, { block: 4_990, time: headTime - 60 });
  await insertToken(
    db,
    1,
    { is_token0: isToken0, tick_lower: lower, tick_upper: upper, locked_liquidity: liquidity.toString() },
    { sqrt_price_x96: root.toString(), tick: 13_863, liquidity: liquidity.toString(), ...state },
  );
}

const tick = (n: number) => 1.0001 ** (n / 2);

/** Returns the amount that a position pays for tokens, in doubles: x * y with the virtual reserves (whitepaper, 2). */
function pay(tokens: number, isToken0: boolean): number {
  const [a, b] = [tick(lower), tick(upper)];
  const l = Number(liquidity);
  const paid = tokens * 0.99;
  if (isToken0) return l * (2 - Math.max(a, 1 / (1 / 2 + paid / l)));
  return l * (1 / 2 - 1 / Math.min(b, 2 + paid / l));
}

describe.each([true, false])("GET /tokens/{address}/depth, where the token is token0: %s", (isToken0) => {
  test("is the trades that move the price, with the fee in what is paid", async () => {
    await insertPool(isToken0);
    const { status, json } = await fixture.read.get(`/tokens/${token}/depth`);
    expect([status, json.error]).toEqual([200, undefined]);
    expect(tokenDepth.parse(json)).toEqual(json);
    expect(json.price_eth).toBeCloseTo(priceOf(isToken0), 12);
    expect(json.price_usd).toBeCloseTo(priceOf(isToken0) * ethUsd, 8);
    expect(json.levels.map(({ change_pct }: any) => change_pct)).toEqual([-10, -5, -2, -1, 1, 2, 5, 10]);
    for (const level of json.levels) {
      const after = priceOf(isToken0) * (1 + level.change_pct / 100);
      expect(level.price_eth / after).toBeCloseTo(1, 12);
      expect([level.side, level.reached]).toEqual([level.change_pct > 0 ? "buy" : "sell", true]);
      // Reserves of a position around the price: tokens L / sqrt(p), native L * sqrt(p).
      const l = Number(liquidity);
      const native = l * Math.abs(Math.sqrt(after) - Math.sqrt(priceOf(isToken0)));
      const tokens = l * Math.abs(1 / Math.sqrt(after) - 1 / Math.sqrt(priceOf(isToken0)));
      const [quoteFee, tokenFee] = level.side === "buy" ? [0.99, 1] : [1, 0.99];
      expect((Number(level.quote_amount) * quoteFee) / native).toBeCloseTo(1, 9);
      expect((Number(level.token_amount) * tokenFee) / tokens).toBeCloseTo(1, 9);
      expect(level.quote_usd).toBeCloseTo((Number(level.quote_amount) / 1e18) * ethUsd, 6);
    }
    expect(json.liquidity).toMatchObject({
      locked: liquidity.toString(),
      in_range: liquidity.toString(),
      others_in_range: "0",
    });
    expect(json.liquidity.range_price_eth.low).toBeCloseTo(tick(lower) ** 2, 12);
  });

  test("says where the locked position ends, and names liquidity of others", async () => {
    // One tick inside the end where all tokens are sold.
    const end = isToken0 ? upper : lower;
    const sqrtPrice = BigInt(Math.round(tick(isToken0 ? end - 1 : end + 1) * 2 ** 96));
    await insertPool(isToken0, {
      sqrt_price_x96: sqrtPrice.toString(),
      tick: end - 1,
      liquidity: (3n * liquidity).toString(),
    });
    const { json } = await fixture.read.get(`/tokens/${token}/depth`);
    const reached = json.levels.map((level: any) => level.reached);
    expect(reached).toEqual([true, true, true, true, false, false, false, false]);
    const [up1, , , up10] = json.levels.slice(4);
    expect(up10.token_amount).toBe(up1.token_amount);
    expect(BigInt(up1.token_amount)).toBeGreaterThan(0n);
    const isInRange = end - 1 >= lower;
    expect(json.liquidity.others_in_range).toBe(((isInRange ? 2n : 3n) * liquidity).toString());
  });

  test("of an untraded token has nothing to pay for a sell", async () => {
    const start = isToken0 ? lower : upper;
    await insertPool(isToken0, { sqrt_price_x96: sqrtPriceX96AtTick(start).toString(), tick: start });
    const { json } = await fixture.read.get(`/tokens/${token}/depth`);
    for (const level of json.levels.slice(0, 4)) {
      expect([level.quote_amount, level.token_amount, level.reached]).toEqual(["0", "0", false]);
    }
    expect(BigInt(json.levels[4].quote_amount)).toBeGreaterThan(0n);
  });
});

describe("GET /tokens/{address}/traders", () => {
  const whole = 10n ** 18n;
  type Basis = { held: bigint; cost: bigint; costUsd: bigint | null; realized: bigint; realizedUsd: bigint | null };

  async function insertTrader(id: number, basis: Partial<Basis>): Promise<void> {
    const { held = 0n, cost = 0n, costUsd = 0n, realized = 0n, realizedUsd = 0n } = basis;
    await insertAccount(fixture.database.db, id, toAddress(0xa000 + id));
    await insert(fixture.database.db, "chain.traders", {
      token_id: 1,
      account_id: id,
      last_time: headTime - id,
      held,
      cost_quote: cost,
      cost_usd: costUsd,
      realized_quote: realized,
      realized_usd: realizedUsd,
    });
  }
  const getTraders = async (query = "") => {
    const { status, json } = await fixture.read.get(`/tokens/${token}/traders${query}`);
    expect([status, json.error]).toEqual([200, undefined]);
    expect(tokenTraders.parse(json)).toEqual(json);
    return json;
  };
  const ids = ({ items }: any) => items.map(({ address }: any) => Number(BigInt(address)) - 0xa000);

  test.each([true, false])("values what an account still has by what the pool pays; token0: %s", async (isToken0) => {
    await insertPool(isToken0);
    await insertTrader(1, {
      held: 100n * whole,
      cost: 50n * whole,
      costUsd: 90_000_000_000n,
      realized: -3n * whole,
      realizedUsd: -7_000_000n,
    });
    await insertTrader(2, { held: 0n, realized: 2n * whole, realizedUsd: null });
    const { items, complete, compared, next_cursor } = await getTraders();
    expect([complete, compared, next_cursor]).toEqual([true, null, null]);
    const value = pay(1e20, isToken0) / 1e18;
    // Less than the price times the amount: the sell moves the price.
    expect(value).toBeLessThan(100 * priceOf(isToken0) * 0.99);
    expect(items).toEqual([
      {
        address: checksummed(toAddress(0xa002)),
        last_trade_at: new Date((headTime - 2) * 1000).toISOString(),
        amount: "0",
        average_cost_eth: null,
        average_cost_usd: null,
        realized_eth: 2,
        realized_usd: null,
        value_eth: 0,
        value_usd: 0,
        unrealized_eth: 0,
        unrealized_usd: 0,
      },
      {
        address: checksummed(toAddress(0xa001)),
        last_trade_at: new Date((headTime - 1) * 1000).toISOString(),
        amount: (100n * whole).toString(),
        average_cost_eth: 0.5,
        average_cost_usd: 900,
        realized_eth: -3,
        realized_usd: -7,
        value_eth: expect.closeTo(value, 9),
        value_usd: expect.closeTo(value * ethUsd, 5),
        unrealized_eth: expect.closeTo(value - 50, 9),
        unrealized_usd: expect.closeTo(value * ethUsd - 90_000, 5),
      },
    ]);
  });

  test("C4-48 pages of realized profit visit every account that has sold, also with equal profits", async () => {
    await insertPool(true);
    const profits = [5n, 5n, 5n, -1n, 0n, 9n, -7n, 5n];
    for (const [n, realized] of profits.entries()) await insertTrader(n + 1, { realized });
    const expected = [6, 8, 3, 2, 1, 4, 7];
    expect(ids(await getTraders())).toEqual(expected);
    for (const limit of [1, 2, 3]) {
      const found: number[] = [];
      for (let cursor = ""; ; ) {
        const page = await getTraders(`?limit=${limit}${cursor}`);
        found.push(...ids(page));
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(found).toEqual(expected);
    }
  });

  test("the order of unrealized profit compares the largest amounts, and says whether another account can be missing", async () => {
    await insertPool(true);
    await insertTrader(1, { held: 30n * whole, cost: 200n * whole });
    await insertTrader(2, { held: 20n * whole, cost: 10n * whole });
    await insertTrader(3, { held: 10n * whole, cost: 1n * whole });
    await insertTrader(4, { held: 0n, realized: 5n });
    const few = await getTraders("?sort=unrealized");
    expect([ids(few), few.compared, few.complete, few.next_cursor]).toEqual([[2, 3, 1], 3, true, null]);
    const { indexer } = fixture.database.db;
    // 1,200 accounts with little: none of them can be among the first two.
    await indexer.query(
      "insert into chain.accounts (id, address) overriding system value select n, decode(lpad(to_hex(n), 40, '0'), 'hex') from generate_series(70001, 71200) n",
    );
    await indexer.query(
      `insert into chain.traders select 1, id, 5, 1000 + id, 1000000, 0, 0, 0 from chain.accounts where id > 4`,
    );
    await insert(fixture.database.db, "chain.outbox", {
      block_number: 9,
      kind: "state",
      payload: JSON.stringify({ tokens: [token] }),
    });
    await fixture.read.deps.readModel.sync();
    const two = await getTraders("?sort=unrealized&limit=2");
    expect([ids(two), two.compared, two.complete]).toEqual([[2, 3], 1_000, true]);
    const hundred = await getTraders("?sort=unrealized&limit=100");
    expect([hundred.items.length, hundred.complete]).toEqual([100, false]);
  });

  test("C4-49 refuses invalid cursors, and a cursor with the other order", async () => {
    await insertPool(true);
    await insertTrader(1, { realized: 7n });
    const get = async (query: string) => {
      const { status, json } = await fixture.read.get(`/tokens/${token}/traders?${query}`);
      return [status, json.error?.code ?? json.items.length];
    };
    const account = toAddress(0xa001);
    for (const query of [
      "cursor=",
      "cursor=x",
      "cursor=1",
      `cursor=1.5~${account}`,
      `sort=unrealized&cursor=7~${account}`,
      "sort=profit",
      "limit=101",
    ]) {
      expect(await get(query), query).toEqual([400, "invalid_query"]);
    }
    expect(await get(`cursor=7~${toAddress(0xdead)}`)).toEqual([400, "cursor_expired"]);
    expect(await get(`cursor=8~${account}`)).toEqual([200, 1]);
    expect(await get(`cursor=7~${account}`)).toEqual([200, 0]);
  });
});

describe("a token that is not indexed", () => {
  beforeEach(async () => await insertIndex(fixture.database.db));
  test.each(["traders", "traders?sort=unrealized", "depth"])("has no %s", async (path) => {
    const { status, json } = await fixture.read.get(`/tokens/${toAddress(9)}/${path}`);
    expect([status, json.error.code]).toEqual([404, "token_not_indexed"]);
  });
});
