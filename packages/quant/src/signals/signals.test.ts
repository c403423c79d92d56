import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { brierScore, calibrationError, reliabilityBins } from "./calibrationError.ts";
import { deflatedSharpe, estimateSharpe, expectedMaximumSharpe } from "./deflatedSharpe.ts";
import { purgedFolds } from "./purgedFolds.ts";
import { realityCheck } from "./realityCheck.ts";
import { fitHitRatePrior, shrinkHitRate } from "./shrinkHitRate.ts";
import { bootstrapMeanInterval, stationaryBootstrap } from "./stationaryBootstrap.ts";
import { resolveTripleBarrier } from "./tripleBarrier.ts";

function createUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const bar = (open: number, high: number, low: number, close: number) => ({ open, high, low, close });

describe("triple barrier", () => {
  const long = { direction: "long", stopLoss: 95, takeProfit: 110, timeLimit: 3 } as const;

  it("exits at the first barrier that is reached, and at the stop when a bar reaches both", () => {
    expect(resolveTripleBarrier([bar(100, 105, 98, 104), bar(104, 111, 103, 110)], 0, long)).toEqual({
      reason: "take_profit",
      index: 1,
      price: 110,
    });
    expect(resolveTripleBarrier([bar(100, 112, 94, 104)], 0, long)).toMatchObject({ reason: "stop_loss", price: 95 });
    const short = { direction: "short", stopLoss: 105, takeProfit: 90, timeLimit: 3 } as const;
    expect(resolveTripleBarrier([bar(100, 106, 99, 100)], 0, short)).toMatchObject({ reason: "stop_loss", price: 105 });
    expect(resolveTripleBarrier([bar(100, 101, 89, 100)], 0, short)).toMatchObject({ reason: "take_profit" });
  });

  it("exits at the open of a bar that opens beyond a barrier", () => {
    const bars = [bar(100, 101, 99, 100), bar(90, 92, 88, 91)];
    expect(resolveTripleBarrier(bars, 0, long)).toEqual({ reason: "stop_loss", index: 1, price: 90 });
  });

  it("exits at the close of the last bar of its time, and is open before that", () => {
    const quiet = [bar(100, 101, 99, 100), bar(100, 101, 99, 101), bar(101, 102, 100, 102)];
    expect(resolveTripleBarrier(quiet, 0, long)).toEqual({ reason: "time_limit", index: 2, price: 102 });
    expect(resolveTripleBarrier(quiet, 1, long)).toBeNull();
  });

  it("gives the same exit for any later bars", () => {
    const uniform = createUniform(1);
    let price = 100;
    const bars = Array.from({ length: 200 }, () => {
      const open = price;
      price *= 1 + (uniform() - 0.5) * 0.04;
      return bar(open, Math.max(open, price) * 1.005, Math.min(open, price) * 0.995, price);
    });
    fc.assert(
      fc.property(fc.nat(150), fc.nat(199), (entry, cut) => {
        const { open } = bars[entry]!;
        const barriers = { direction: "long", stopLoss: open * 0.95, takeProfit: open * 1.05, timeLimit: 24 } as const;
        const whole = resolveTripleBarrier(bars, entry, barriers);
        const prefix = resolveTripleBarrier(bars.slice(0, cut), entry, barriers);
        expect(prefix).toEqual(whole !== null && whole.index < cut ? whole : null);
      }),
      { seed: 3 },
    );
  });
});

describe("purged folds", () => {
  it("excludes from training samples that overlap with the test fold or begin within the embargo", () => {
    const spans = Array.from({ length: 10 }, (_, i) => ({ start: i * 10, end: i * 10 + 15 }));
    const [, second] = purgedFolds(spans, 5, 10);
    // Test 20..45 and an embargo to 55: sample 1 ends at 25 within the test fold, 4 and 5 begin at 40 and 50.
    expect(second).toEqual({ test: [2, 3], train: [0, 6, 7, 8, 9] });
    expect(purgedFolds(spans, 5, 0).flatMap(({ test }) => test)).toEqual(spans.map((_, i) => i));
    expect(() => purgedFolds(spans.slice(0, 1), 2, 0)).toThrow(RangeError);
  });
});

describe("stationary bootstrap", () => {
  it("resamples blocks of the mean length, wrapped at the end", () => {
    const length = 20_000;
    const indices = stationaryBootstrap(length, 8, createUniform(2));
    let starts = 0;
    for (let t = 1; t < length; t++) if (indices[t] !== (indices[t - 1]! + 1) % length) starts++;
    expect(length / starts).toBeGreaterThan(7.5);
    expect(length / starts).toBeLessThan(8.5);
    expect([...stationaryBootstrap(50, 5, createUniform(9))]).toEqual([
      ...stationaryBootstrap(50, 5, createUniform(9)),
    ]);
  });

  it("gives an interval of a mean that agrees with the normal distribution for independent values", () => {
    const uniform = createUniform(4);
    const values = Array.from({ length: 400 }, () => uniform() - 0.5);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const options = { level: 0.95, meanBlock: 1, resamples: 2_000, uniform };
    const { lower, upper } = bootstrapMeanInterval(values, options);
    const half = (1.96 * Math.sqrt(1 / 12)) / 20;
    expect(Math.abs(lower - (mean - half))).toBeLessThan(0.15 * half);
    expect(Math.abs(upper - (mean + half))).toBeLessThan(0.15 * half);
  });
});

describe("tests of many strategies", () => {
  const uniform = createUniform(6);
  const noise = Array.from({ length: 30 }, () => Array.from({ length: 300 }, () => uniform() - 0.5));
  const options = { meanBlock: 3, resamples: 300 };

  it("does not find skill in the best of many strategies without any", () => {
    const { realityCheckP, spaP } = realityCheck(noise, { ...options, uniform: createUniform(8) });
    expect(realityCheckP).toBeGreaterThan(0.05);
    expect(spaP).toBeGreaterThan(0.05);
  });

  it("finds the one strategy that has skill", () => {
    const skilled = noise.map((returns, k) => (k === 17 ? returns.map((value) => value + 0.1) : returns));
    const result = realityCheck(skilled, { ...options, uniform: createUniform(8) });
    expect(result.best).toBe(17);
    expect(result.realityCheckP).toBeLessThan(0.01);
    expect(result.spaP).toBeLessThan(0.01);
    expect(result.adjustedP[17]).toBe(result.spaP);
    expect(result.adjustedP.filter((p) => p < 0.05)).toHaveLength(1);
    expect(() => realityCheck([], { ...options, uniform })).toThrow(RangeError);
  });

  it("gives the deflated Sharpe ratio of the example of Bailey & López de Prado (2014)", () => {
    const estimate = { sharpe: 2.5 / Math.sqrt(250), observations: 1_250, skewness: -3, kurtosis: 10 };
    expect(deflatedSharpe(estimate, 100, 0.5 / 250)).toBeCloseTo(0.9004, 3);
    expect(expectedMaximumSharpe(1, 0.5)).toBe(0);
  });

  it("estimates moments of returns", () => {
    const { sharpe, skewness, kurtosis } = estimateSharpe([1, 2, 3, 4]);
    expect(sharpe).toBeCloseTo(2.5 / Math.sqrt(5 / 3), 12);
    expect(skewness).toBeCloseTo(0, 12);
    expect(kurtosis).toBeCloseTo(1.64, 12);
    expect(estimateSharpe([1, 1]).sharpe).toBe(0);
  });
});

describe("hit rates", () => {
  it("shrinks a small record towards the common rate, and a large one hardly", () => {
    const records = [
      { hits: 60, count: 100 },
      { hits: 30, count: 100 },
      { hits: 45, count: 100 },
    ];
    const prior = fitHitRatePrior(records);
    expect(prior.rate).toBeCloseTo(0.45, 12);
    expect(prior.weight).toBeGreaterThan(5);
    expect(prior.weight).toBeLessThan(50);
    expect(shrinkHitRate({ hits: 3, count: 3 }, prior)).toBeLessThan(0.62);
    expect(shrinkHitRate({ hits: 6_000, count: 10_000 }, prior)).toBeCloseTo(0.6, 2);
  });

  it("gives every group the common rate when they differ by chance only", () => {
    const prior = fitHitRatePrior([
      { hits: 50, count: 100 },
      { hits: 51, count: 100 },
    ]);
    expect(prior.weight).toBe(Number.POSITIVE_INFINITY);
    expect(shrinkHitRate({ hits: 9, count: 10 }, prior)).toBeCloseTo(0.505, 12);
    expect(fitHitRatePrior([]).rate).toBe(0.5);
  });

  it("weights the distance of probability and hit rate by bin", () => {
    const outcomes = [0.11, 0.12, 0.85, 0.85].map((probability, i) => ({ probability, isHit: i >= 2 }));
    expect(calibrationError(outcomes)).toBeCloseTo((2 * 0.115 + 2 * 0.15) / 4, 12);
    expect(reliabilityBins(outcomes)).toHaveLength(2);
    expect(reliabilityBins([{ probability: 1, isHit: true }])[0]).toMatchObject({ from: 0.9, count: 1 });
    expect(brierScore([{ probability: 0.8, isHit: true }])).toBeCloseTo(0.04, 12);
  });
});
