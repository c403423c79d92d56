import type { IndexedCandle } from "@slipway/protocol/indexed";
import { describe, expect, test } from "vitest";
import { loadChartSettings, saveChartSettings } from "./chartSettings.ts";
import { computeAverage, computeVwap, findCandle, scaleCandles, toEthCandles, toLines } from "./shownCandles.ts";

const candle = (t: number, c: number, more: Partial<IndexedCandle> = {}): IndexedCandle => ({
  t,
  o: c,
  h: c,
  l: c,
  c,
  v: c * 2_000,
  vq: c,
  n: 1,
  buys: 1,
  sells: 0,
  traders: 1,
  ...more,
});

describe("candles", () => {
  test("in ETH have the ETH/USD price of their own trades, or that of the candle before", () => {
    const candles = [
      candle(0, 1, { v: 0, vq: 0 }),
      candle(60, 2, { v: 4_000, vq: 2 }),
      candle(120, 3, { v: 0, vq: 0 }),
      candle(180, 3, { v: 9_000, vq: 3 }),
    ];
    expect(toEthCandles(candles).map(({ t, c }) => [t, c])).toEqual([
      [60, 2 / 2_000],
      [120, 3 / 2_000],
      [180, 3 / 3_000],
    ]);
  });

  test("as market cap have every price multiplied, and the same volume", () => {
    const [scaled] = scaleCandles([candle(0, 2, { o: 1, h: 4, l: 0.5 })], 10);
    expect(scaled).toMatchObject({ o: 10, h: 40, l: 5, c: 20, vq: 2 });
  });

  test("are found by a time in them", () => {
    const candles = [candle(60, 1), candle(120, 1), candle(300, 1)];
    expect([59, 60, 119, 120, 299, 999].map((seconds) => findCandle(candles, seconds))).toEqual([-1, 0, 0, 1, 1, 2]);
    expect(findCandle([], 5)).toBe(-1);
  });
});

describe("an indicator", () => {
  const candles = [1, 2, 3, 4, 5].map((close, index) => candle(index * 60, close));

  test("averages the last closes, from the first complete window", () => {
    expect(computeAverage(candles, 3)).toEqual([
      { t: 120, value: 2 },
      { t: 180, value: 3 },
      { t: 240, value: 4 },
    ]);
    expect(computeAverage(candles, 6)).toEqual([]);
  });

  test("weights prices by volume, without a value before the first volume", () => {
    const weighted = [candle(0, 9, { vq: 0 }), candle(60, 1, { vq: 1 }), candle(120, 4, { vq: 2 })];
    expect(computeVwap(weighted)).toEqual([
      { t: 60, value: 1 },
      { t: 120, value: 3 },
    ]);
  });

  test("is a line only if it is chosen", () => {
    expect(toLines(candles, ["own", "vwap"]).map(({ key }) => key)).toEqual(["vwap"]);
  });
});

test("settings of another version or person's hand become the defaults", () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (k: string, v: string) => stored.set(k, v),
  };
  const defaults = loadChartSettings(storage);
  expect(defaults).toEqual({ unit: "usd", value: "price", isLogarithmic: false, shown: ["own", "creator"] });
  saveChartSettings(storage, { unit: "eth", value: "cap", isLogarithmic: true, shown: ["vwap"] });
  expect(loadChartSettings(storage)).toEqual({ unit: "eth", value: "cap", isLogarithmic: true, shown: ["vwap"] });
  saveChartSettings(storage, { ...defaults, shown: ["liquidity"] });
  expect(loadChartSettings(storage).shown).toEqual(["liquidity"]);
  for (const broken of ["{", "null", "7", '{"unit":"gold","shown":"vwap","isLogarithmic":1}']) {
    stored.set("slipway.chart", broken);
    expect(loadChartSettings(storage)).toEqual(defaults);
  }
});
