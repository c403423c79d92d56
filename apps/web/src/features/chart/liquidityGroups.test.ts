import type { IndexedCandle } from "@slipway/protocol/indexed";
import type { LiquidityChange } from "@slipway/protocol/liquidityChanges";
import { describe, expect, test } from "vitest";
import { groupByCandle, startsAfter, sumChanges, toLiquidityMarks } from "./liquidityGroups.ts";

const candle = (t: number): IndexedCandle => ({
  t,
  o: 2,
  h: 3,
  l: 1,
  c: 2,
  v: 2_000,
  vq: 1,
  n: 1,
  buys: 1,
  sells: 0,
  traders: 1,
});
const candles = [candle(60), candle(120), candle(300)];

const change = (seconds: number, more: Partial<LiquidityChange> = {}): LiquidityChange => ({
  id: `0x${seconds}:1`,
  kind: "mint",
  block_number: seconds,
  block_timestamp: new Date(seconds * 1_000).toISOString(),
  tx_hash: "0x",
  log_index: 1,
  maker: "0x",
  token_amount: "5",
  quote_amount: "7",
  ...more,
});

describe("changes of liquidity", () => {
  test("belong to the candle at their time, or to the candle before it", () => {
    const groups = groupByCandle([change(400), change(180), change(179), change(60), change(59)], candles);
    const times = [...groups].map(([t, { changes }]) => [t, changes.map(({ block_number }) => block_number)]);
    expect(times).toEqual([
      [300, [400]],
      [120, [180, 179]],
      [60, [60]],
    ]);
    expect([...groupByCandle([change(60)], [])]).toEqual([]);
  });

  test("have one mark for each candle and kind, however many they are", () => {
    const many = Array.from({ length: 900 }, (_, n) => change(130, { kind: n % 2 ? "mint" : "burn" }));
    const marks = toLiquidityMarks(groupByCandle([change(310), ...many], candles).values());
    expect(marks.map(({ t, place, price, text }) => [t, place, price, text])).toEqual([
      [300, "below", 1, "+"],
      [120, "below", 1, "+"],
      [120, "above", 3, "−"],
    ]);
  });

  test("are summed exactly by kind", () => {
    const big = (10n ** 40n + 1n).toString();
    expect(sumChanges([change(60, { token_amount: big }), change(61, { quote_amount: big })])).toEqual({
      mint: { token: 10n ** 40n + 6n, quote: 10n ** 40n + 8n },
      burn: null,
    });
  });

  test("can have earlier ones in the chart while the oldest loaded one is not before the first candle", () => {
    expect(startsAfter([change(400), change(60)], candles)).toBe(true);
    expect(startsAfter([change(400), change(59)], candles)).toBe(false);
    expect(startsAfter([], candles)).toBe(false);
    expect(startsAfter([change(60)], [])).toBe(false);
  });
});
