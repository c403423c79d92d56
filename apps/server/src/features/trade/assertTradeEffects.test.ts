import { type Hex, numberToHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import type { BatchSimulation } from "../../transactions/simulate.ts";
import { assertTradeEffects } from "./assertTradeEffects.ts";
import type { TradeOrder } from "./tradeOrder.ts";

const toAddress = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [wallet, recipient, router, pool, token, weth] = ["1", "2", "3", "4", "5", "6"].map(toAddress) as [
  ...[Hex, Hex, Hex, Hex, Hex, Hex],
];
const order: TradeOrder = {
  shape: "batch",
  token,
  wallet,
  side: "buy",
  amounts: { exact: "output", amountOut: 50n, maximumIn: 100n },
  isNative: true,
  asset: null,
  permit: null,
  recipient,
  recipientField: "recipient",
};
const path = { tokenIn: weth, tokenOut: token };
const before = [
  { asset: weth, amount: 7n },
  { asset: token, amount: 9n },
];
type Move = [asset: Hex, from: Hex, to: Hex, amount: bigint];
/** The transfers of a buy: the wallet sends 100 native, 80 buy 50 tokens, and 20 are refunded. */
const moves: Move[] = [
  [zeroAddress, wallet, router, 100n],
  [zeroAddress, router, weth, 80n],
  [weth, router, pool, 80n],
  [token, pool, recipient, 50n],
  [zeroAddress, router, wallet, 20n],
];

function run(changed: Move[], after: readonly [bigint, bigint] = [7n, 9n], changes: Partial<TradeOrder> = {}): void {
  const assetChanges = changed.map(([asset, from, to, amount]) => ({ asset, from, to, amount: amount.toString() }));
  const readData = after.map((amount) => numberToHex(amount, { size: 32 }));
  const simulation = {
    assetChanges,
    readData,
    areAssetChangesKnown: true,
  } as Partial<BatchSimulation> as BatchSimulation;
  assertTradeEffects(simulation, { ...order, ...changes }, path, router, before, 50n);
}

describe("assertTradeEffects", () => {
  test("accepts a trade within its amounts that leaves the router's balances unchanged", () => {
    expect(() => run(moves)).not.toThrow();
  });

  test("subtracts the refund from the wallet's payment", () => {
    expect(() => run(moves, [7n, 9n], { amounts: { exact: "output", amountOut: 50n, maximumIn: 80n } })).not.toThrow();
    const tooMuch = { exact: "output", amountOut: 50n, maximumIn: 79n } as const;
    expect(() => run(moves, [7n, 9n], { amounts: tooMuch })).toThrow("other transfers");
  });

  test.each<[string, Move[]]>([
    ["another asset leaves the wallet", [...moves, [token, wallet, pool, 1n]]],
    [
      "another account receives the tokens",
      moves.map((move) => (move[0] === token ? [token, pool, wallet, 50n] : move)),
    ],
    [
      "the recipient gets less than the minimum",
      moves.map((move) => (move[0] === token ? [token, pool, recipient, 49n] : move)),
    ],
    ["the refund is missing", moves.slice(0, -1)],
  ])("refuses a trade where %s", (_, changed) => {
    expect(() => run(changed)).toThrow("other transfers");
  });

  test("C7-22 refuses a trade after which the router has more of any asset than before", () => {
    expect(() => run(moves, [8n, 9n])).toThrow("other transfers");
    expect(() => run(moves, [7n, 10n])).toThrow("other transfers");
    expect(() => run([...moves, [zeroAddress, pool, router, 1n]])).toThrow("other transfers");
  });

  test("C7-22 accepts that the router also pays out assets that another account left in it", () => {
    expect(() => run([...moves, [zeroAddress, router, wallet, 30n]], [0n, 0n])).not.toThrow();
  });
});
