import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addNewestTrades, computePosition } from "./computePosition.ts";

const trade = (side: "buy" | "sell", tokens: bigint, quote: bigint, usd: number | null = Number(quote) * 2) => ({
  side,
  token_amount: tokens.toString(),
  quote_amount: quote.toString(),
  volume_usd: usd,
});

describe("a position", () => {
  test("has the cost of what was bought and not sold, by moving average", () => {
    const trades = [trade("sell", 150n, 450n), trade("buy", 100n, 300n), trade("buy", 100n, 100n)];
    expect(computePosition(trades)).toEqual({
      amount: 50n,
      cost: 100n,
      costUsd: 200,
      realized: 150n,
      realizedUsd: 300,
    });
  });

  test("counts tokens that came by a transfer as free", () => {
    expect(computePosition([trade("sell", 10n, 70n), trade("buy", 5n, 50n)])).toMatchObject({
      amount: 0n,
      cost: 0n,
      realized: 20n,
    });
    expect(computePosition([trade("sell", 10n, 70n)])).toMatchObject({ amount: 0n, realized: 70n, realizedUsd: 140 });
  });

  test("is unknown in USD from a trade without a value on", () => {
    expect(computePosition([trade("buy", 10n, 70n, null)])).toMatchObject({ cost: 70n, costUsd: null, realizedUsd: 0 });
    const sold = [trade("sell", 10n, 80n, null), trade("buy", 10n, 70n)];
    expect(computePosition(sold)).toMatchObject({ realized: 10n, realizedUsd: null });
  });

  test("never loses money: cost and realized profit together are the net payment", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const trades = fc.array(fc.tuple(fc.constantFrom("buy" as const, "sell" as const), amount, amount));
    fc.assert(
      fc.property(trades, (list) => {
        const { amount: left, cost, realized } = computePosition(list.map(([side, a, b]) => trade(side, a, b)));
        const net = list.reduce((sum, [side, , quote]) => sum + (side === "buy" ? quote : -quote), 0n);
        expect(cost - realized).toBe(net);
        expect(left >= 0n && cost >= 0n).toBe(true);
      }),
    );
  });
});

test("trades of the stream that the read list lacks count at once, only those of the account", () => {
  const newest = { id: "a", account: "0xAA" };
  const foreign = { id: "b", account: "0xBB" };
  const read = [
    { id: "c", account: "0xAA" },
    { id: "d", account: "0xAA" },
  ];
  expect(addNewestTrades(read, [newest, foreign, read[0]!], "0xaa")).toEqual([newest, ...read]);
});
