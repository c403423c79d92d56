import { describe, expect, it } from "vitest";
import { coverage, jointLoss, mase, msis, owa, pinball, seasonalNaiveScale, smape } from "./accuracy.ts";
import { naive2 } from "./naive2.ts";

describe("accuracy measures", () => {
  it("computes sMAPE in percent of 200, with no error for a pair of zeros", () => {
    expect(smape([100, 0], [300, 0])).toBe(50);
    expect(smape([1], [-1])).toBe(200);
    expect(smape([3, 5], [3, 5])).toBe(0);
  });

  it("computes the joint loss of value at risk and shortfall, smallest at the true pair", () => {
    expect(jointLoss([3], [2], [4], 0.05)).toBeCloseTo(1 / 0.2 + 0.5 + Math.log(4) - 1, 12);
    // Losses 1 to 100: 5% exceed 95, and their mean is 98.
    const losses = Array.from({ length: 100 }, (_, i) => i + 1);
    const at = (value: number, shortfall: number) =>
      jointLoss(
        losses,
        losses.map(() => value),
        losses.map(() => shortfall),
        0.05,
      );
    for (const [value, shortfall] of [
      [90, 98],
      [99, 104],
      [95.5, 96],
      [95.5, 102],
    ] as const)
      expect(at(95.5, 98)).toBeLessThan(at(value, shortfall));
  });

  it("scales MASE by the seasonal naive error within the history", () => {
    expect(seasonalNaiveScale([1, 2, 4, 8], 1)).toBeCloseTo(7 / 3, 12);
    expect(seasonalNaiveScale([1, 2, 4, 8], 2)).toBe(4.5);
    expect(mase([1, 2, 4, 8], [8, 10], [9, 7], 2)).toBeCloseTo(2 / 4.5, 12);
    expect(seasonalNaiveScale([1, 2], 2)).toBeNaN();
  });

  it("averages sMAPE and MASE relative to Naive2 in OWA", () => {
    // The published OWA of ES-RNN for the hourly series of M4 is 0.440: 9.328 and 0.893 against 18.383 and 2.395.
    expect(owa({ smape: 9.328, mase: 0.893 }, { smape: 18.383, mase: 2.395 })).toBeCloseTo(0.440142, 5);
  });

  it("adds 2/alpha of the distance outside of an interval to its width in MSIS", () => {
    const interval = { lower: [0, 0, 0], upper: [10, 10, 10] };
    expect(msis([0, 2, 4], [5, 11, -1], interval, { season: 1, level: 0.95 })).toBeCloseTo((30 + 40 + 40) / 3 / 2, 10);
    expect(coverage([5, 11, 0], interval)).toBeCloseTo(2 / 3, 12);
  });

  it("weights errors above and below a quantile by its probability", () => {
    expect(pinball([10, 0], [8, 1], 0.9)).toBeCloseTo((0.9 * 2 + 0.1 * 1) / 2, 12);
  });

  it("refuses lists of different lengths and empty ones", () => {
    expect(() => smape([1], [1, 2])).toThrow(RangeError);
    expect(() => mase([1, 2], [], [], 1)).toThrow(RangeError);
  });
});

describe("naive2", () => {
  const shape = [1.5, 0.5, 0.75, 1.25];
  const seasonal = Array.from({ length: 40 }, (_, t) => 100 * shape[t % 4]!);

  it("continues a multiplicative season at the last seasonally adjusted level", () => {
    const forecast = naive2(seasonal.slice(0, 38), 4, 5);
    for (const [h, value] of forecast.entries()) expect(value).toBeCloseTo(100 * shape[(38 + h) % 4]!, 9);
  });

  it("continues an odd season", () => {
    const odd = Array.from({ length: 30 }, (_, t) => [1, 2, 3][t % 3]!);
    for (const [h, value] of naive2(odd, 3, 4).entries()) expect(value).toBeCloseTo([1, 2, 3, 1][h]!, 9);
  });

  it("repeats the last value without a significant season, without a season, and for a short history", () => {
    const trend = Array.from({ length: 40 }, (_, t) => 10 + ((t * 7919) % 13));
    expect(naive2(trend, 5, 3)).toEqual([trend[39], trend[39], trend[39]]);
    expect(naive2(seasonal, 1, 2)).toEqual([125, 125]);
    expect(naive2(seasonal.slice(0, 11), 4, 1)).toEqual([75]);
  });
});
