import { describe, expect, it } from "vitest";
import { hour } from "./evaluateBars.ts";
import { fillQuietHours, resolveSignal } from "./resolveSignal.ts";
import { getSignalCost } from "./signalCosts.ts";
import type { HourBar } from "./strategies/strategy.ts";

const closedAt = 1_000 * hour;
const long = { direction: "long" as const, closedAt, stopLoss: 96, takeProfit: 106, cost: 0.003 };
const quiet = (count: number, price = 100): HourBar[] =>
  Array.from({ length: count }, (_, i) => ({
    ...{ time: closedAt + i * hour, open: price, high: price + 1, low: price - 1, close: price },
  }));
const later = closedAt + 100 * 24 * hour;

describe("the end of a signal", () => {
  it("does not exist until the bars exist", () => {
    expect(resolveSignal(long, [], closedAt)).toBeNull();
    expect(resolveSignal(long, quiet(23), closedAt + 23 * hour)).toBeNull();
    expect(resolveSignal(long, quiet(24), closedAt + 24 * hour)).toEqual({
      ...{ reason: "time_limit", entryPrice: 100, exitPrice: 100, resolvedAt: closedAt + 24 * hour },
      return: -0.003,
    });
  });

  it("is at the first barrier, with the return on the entry at the next open after costs", () => {
    const bars = quiet(3, 101);
    bars[2] = { ...bars[2]!, high: 107 };
    const end = resolveSignal(long, bars, closedAt + 3 * hour)!;
    expect(end).toMatchObject({ reason: "take_profit", entryPrice: 101, exitPrice: 106 });
    expect(end.return).toBeCloseTo(106 / 101 - 1 - 0.003, 12);
    const short = { ...long, direction: "short" as const, stopLoss: 106, takeProfit: 90 };
    expect(resolveSignal(short, bars, closedAt + 3 * hour)!.return).toBeCloseTo(1 - 106 / 101 - 0.003, 12);
  });

  it("is the same when more bars follow, and ignores bars before the signal", () => {
    const bars = quiet(30);
    bars[4] = { ...bars[4]!, low: 95 };
    const early = resolveSignal(long, bars.slice(0, 5), closedAt + 5 * hour);
    expect(early).toMatchObject({ reason: "stop_loss", resolvedAt: closedAt + 5 * hour });
    const before = { ...bars[0]!, time: closedAt - hour, low: 1 };
    expect(resolveSignal(long, [before, ...bars], later)).toEqual(early);
  });

  it("waits for missing hours until they are no longer requested", () => {
    const bars = quiet(24);
    bars[10] = { ...bars[10]!, low: 90 };
    const missing = bars.filter((_, i) => i !== 5);
    expect(resolveSignal(long, missing, closedAt + 48 * hour)).toBeNull();
    expect(resolveSignal(long, missing, closedAt + 49 * hour)).toMatchObject({ reason: "stop_loss" });
    expect(resolveSignal(long, bars, closedAt + 24 * hour)).toEqual(resolveSignal(long, missing, closedAt + 49 * hour));
  });

  it("is unknown without any bar", () => {
    const after = quiet(40).slice(24);
    expect(resolveSignal(long, after, later)).toBeNull();
  });
});

describe("a pool", () => {
  it("keeps its price in hours without a trade", () => {
    const [first, , , fourth] = quiet(4);
    const filled = fillQuietHours([first!, { ...fourth!, open: 50 }], closedAt + 6 * hour);
    expect(filled.map(({ time }) => (time - closedAt) / hour)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(filled[1]).toEqual({ time: closedAt + hour, open: 100, high: 100, low: 100, close: 100 });
    expect(fillQuietHours([], closedAt)).toEqual([]);
  });
});

describe("costs", () => {
  const signal = { price: 0.0001, spread: 0.004 };
  const depth = { token: "0x1", feeBps: 100, liquidity: 1e21, ethUsd: 2_000 };

  it("are 10 bp and half the spread per side on an exchange", () => {
    expect(getSignalCost({ source: "exchange" }, signal, undefined)).toEqual({ cost: 0.006, impact: 0 });
  });

  it("are the fee and the impact of 1,000 USD per side in a pool", () => {
    // A liquidity of 1,000 at the root price 0.01 is a reserve of 10 wrapped native; 1,000 USD are 0.5.
    const { cost, impact } = getSignalCost({ source: "pool" }, signal, depth)!;
    expect(impact).toBeCloseTo(0.05, 12);
    expect(cost).toBeCloseTo(2 * (0.01 + 0.05), 12);
  });

  it("are unknown without liquidity or an ETH price", () => {
    expect(getSignalCost({ source: "pool" }, signal, undefined)).toBeNull();
    expect(getSignalCost({ source: "pool" }, signal, { ...depth, ethUsd: null })).toBeNull();
    expect(getSignalCost({ source: "pool" }, signal, { ...depth, liquidity: 0 })).toBeNull();
  });
});
