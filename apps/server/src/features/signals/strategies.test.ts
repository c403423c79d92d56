import fc from "fast-check";
import { BollingerBands, EMA, RSI } from "trading-signals";
import { describe, expect, it } from "vitest";
import { seededBars } from "../../../../../tests/support/signals/seededBars.ts";
import { evaluateBars, getWindowStart, hour } from "./evaluateBars.ts";
import { allStrategies } from "./strategies/allStrategies.ts";
import type { HourBar, Strategy } from "./strategies/strategy.ts";

const lastTime = Date.UTC(2026, 2, 1, 7) / 1000;
const bars = seededBars(3, { count: 4_000, lastTime, missing: [1_000, 2_500, 2_501, 2_502] });

/** Returns the directions for closes. Each bar opens at the previous close, and its range is its open and close. */
function readCloses(strategy: Strategy, closes: readonly number[]): (string | null)[] {
  const read = strategy.start();
  return closes.map((close, i) => {
    const open = closes[i - 1] ?? close;
    const bar: HourBar = { time: i * hour, open, high: Math.max(open, close), low: Math.min(open, close), close };
    return read(bar)?.direction ?? null;
  });
}
const find = (name: string) => allStrategies.find((strategy) => strategy.name === name)!;

describe("indicators", () => {
  // From the tests of trading-signals (MIT, Benny Neugebauer): Bollinger bands of 20 and 2.
  const prices = [
    81, 78, 75, 68, 65, 60, 57, 51, 45, 44, 41, 42, 37, 36, 50, 73, 65, 58, 42, 48, 56, 51, 30, 28, 35, 57, 72, 87, 86,
  ];

  it("give Bollinger bands by the definition", () => {
    const bands = new BollingerBands(20, 2);
    for (const [i, price] of prices.entries()) {
      const result = bands.add(price);
      if (i < 19) {
        expect(result).toBeNull();
        continue;
      }
      const last = prices.slice(i - 19, i + 1);
      const middle = last.reduce((a, b) => a + b) / 20;
      const deviation = Math.sqrt(last.reduce((sum, value) => sum + (value - middle) ** 2, 0) / 20);
      expect(result!.middle).toBeCloseTo(middle, 9);
      expect(result!.upper).toBeCloseTo(middle + 2 * deviation, 9);
      expect(result!.lower).toBeCloseTo(middle - 2 * deviation, 9);
    }
  });

  it("give Wilder's RSI: the first from mean gains and losses, then smoothed", () => {
    // Alternating gains of 1 and losses of 0.5: mean gain 0.5, mean loss 0.25.
    const rsi = new RSI(14);
    let price = 10;
    rsi.add(price);
    for (let i = 0; i < 14; i++) {
      price += i % 2 === 0 ? 1 : -0.5;
      rsi.add(price);
    }
    expect(rsi.getResultOrThrow()).toBeCloseTo(100 - 100 / (1 + 0.5 / 0.25), 9);
    rsi.add(price + 2);
    const [gain, loss] = [(0.5 * 13 + 2) / 14, (0.25 * 13) / 14];
    expect(rsi.getResultOrThrow()).toBeCloseTo(100 - 100 / (1 + gain / loss), 9);
  });

  it("give exponential averages that begin with the first price", () => {
    const ema = new EMA(3);
    expect([2, 4, 8].map((price) => ema.add(price))).toEqual([2, 3, 5.5]);
  });
});

describe("strategies", () => {
  it("signal long below 30 and short above 70 of the RSI, once per crossing", () => {
    const flat = Array.from({ length: 40 }, (_, i) => 100 + (i % 2));
    const falling = Array.from({ length: 12 }, (_, i) => 99 - 3 * i);
    const directions = readCloses(find("rsi_reversion"), [...flat, ...falling]).filter(Boolean);
    expect(directions).toEqual(["long"]);
    const rising = falling.map((price) => 200 - price);
    expect(readCloses(find("rsi_reversion"), [...flat, ...rising]).filter(Boolean)).toEqual(["short"]);
  });

  it("signal short at the first close above the upper Bollinger band, and nothing while closes stay above", () => {
    const flat = Array.from({ length: 40 }, (_, i) => 100 + (i % 2));
    expect(readCloses(find("bollinger_reversion"), [...flat, 110, 120, 130]).slice(40)).toEqual(["short", null, null]);
    expect(readCloses(find("bollinger_reversion"), [...flat, 90]).at(-1)).toBe("long");
  });

  it("signal long where the MACD and the averages of 50 and 200 hours turn upwards", () => {
    const turn = Array.from({ length: 900 }, (_, i) => 1_000 + Math.abs(i - 450));
    for (const name of ["macd_trend", "ema_cross"]) {
      const directions = readCloses(find(name), turn);
      expect(directions.slice(0, 450)).not.toContain("long");
      expect(directions.slice(450).find(Boolean)).toBe("long");
    }
  });

  it("signal long when a close rises above the channel of the 20 hours before", () => {
    const flat = Array.from({ length: 30 }, (_, i) => 100 + (i % 2));
    const directions = readCloses(find("donchian_breakout"), [...flat, 102, 103, 98]);
    expect(directions.slice(30)).toEqual(["long", null, "short"]);
  });

  it("signal the direction of 28 days at midnight, and nothing across a gap", () => {
    const rising = Array.from({ length: 24 * 30 }, (_, i) => 100 + i);
    const directions = readCloses(find("momentum_28d"), rising);
    const at = directions.flatMap((direction, i) => (direction === null ? [] : [i]));
    expect(at).toEqual([24 * 29 - 1, 24 * 30 - 1]);
    expect(directions[at[0]!]).toBe("long");
  });

  it("place the stop two and the target three mean ranges from the close", () => {
    const signals = evaluateBars(bars);
    expect(new Set(signals.map(({ strategy }) => strategy)).size).toBe(allStrategies.length);
    for (const { direction, price, stopLoss, takeProfit, spread } of signals) {
      const sign = direction === "long" ? 1 : -1;
      expect(sign * (takeProfit - price)).toBeGreaterThan(0);
      expect((takeProfit - price) / (price - stopLoss)).toBeCloseTo(1.5, 6);
      expect(spread).toBeGreaterThanOrEqual(0);
    }
  });

  it("C9-20 a signal depends neither on later bars nor on the start of a history of two months", () => {
    const whole = evaluateBars(bars);
    fc.assert(
      fc.property(fc.nat(bars.length - 1), fc.boolean(), (last, isShort) => {
        const { time } = bars[last]!;
        const from = isShort ? bars.findIndex((bar) => bar.time >= getWindowStart(time)) : 0;
        const prefix = bars.slice(from, last + 1);
        expect(evaluateBars(prefix, time)).toEqual(whole.filter(({ closedAt }) => closedAt === time + hour));
      }),
      { seed: 20, numRuns: 150 },
    );
  });

  it("C9-20 the signals of a series are the same when its bars are evaluated in parts", () => {
    const parts = [0, 700, 701, 1_500, 2_503, 3_990].flatMap((from, i, all) => {
      const to = all[i + 1] ?? bars.length;
      return evaluateBars(bars.slice(0, to), bars[from]!.time);
    });
    expect(parts).toEqual(evaluateBars(bars));
  });
});
