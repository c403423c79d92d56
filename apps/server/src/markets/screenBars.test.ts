import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testBar } from "../../../../tests/support/markets/storeTestBars.ts";
import { findBarFault, getMedianMove, screenBars } from "./screenBars.ts";

const hour = 3600;
const nowSeconds = 1000 * hour;
const at = { interval: hour, nowSeconds } as const;
const known = { lastClose: 100, medianMove: 0.01 };
const bars = (...closes: number[]) => closes.map((close, n) => testBar((500 + n) * hour, close));
const screen = (closes: number[], prices = known) => {
  const { accepted, refused, heldAt } = screenBars(bars(...closes), prices, at);
  return [
    accepted.map(({ close }) => close),
    refused.map(({ bar }) => bar.close),
    heldAt === null ? null : heldAt / hour,
  ];
};

describe("a single bar", () => {
  const bar = testBar(500 * hour, 100);
  test.each([
    ["not_finite", { close: Number.NaN }],
    ["not_finite", { high: Number.POSITIVE_INFINITY }],
    ["not_finite", { volume: Number.NaN }],
    ["not_positive", { low: 0 }],
    ["not_positive", { close: -1 }],
    ["impossible", { high: 99, low: 101 }],
    ["impossible", { close: 101 }],
    ["impossible", { open: 99 }],
    ["impossible", { volume: -1 }],
    ["misaligned", { time: 500 * hour + 60 }],
    ["future", { time: nowSeconds }],
    ["future", { time: nowSeconds + 100 * hour }],
    [null, { time: nowSeconds - hour }],
    [null, { high: 120, low: 80, volume: 0 }],
  ])("is rejected as %s with %o", (fault, change) => {
    expect(findBarFault({ ...bar, ...change }, hour, nowSeconds)).toBe(fault);
  });
});

describe("a close more than 20 median hourly moves from the last close", () => {
  test.each([
    ["is held back while it is the last close", [100, 130], [[100], [130], 501]],
    ["is accepted if the next close is near it", [100, 130, 131], [[100, 130, 131], [], null]],
    ["is dropped if the next close is near the last close", [100, 130, 101], [[100, 101], [130], null]],
    ["is dropped if the next close is near neither", [100, 130, 300], [[100], [130, 300], 502]],
    ["is dropped also the second time", [100_000, 101, 0.1, 99], [[101, 99], [100_000, 0.1], null]],
    ["can be followed by a return to the earlier price", [130, 131, 100, 100], [[130, 131, 100, 100], [], null]],
  ] as const)("%s", (_, closes, expected) => {
    expect(screen([...closes])).toEqual(expected);
  });

  test("is accepted in a market without history", () => {
    expect(screen([100, 130], { lastClose: null as unknown as number, medianMove: 0.01 })[0]).toEqual([100]);
    expect(screen([100, 1_000], { ...known, medianMove: null as unknown as number })[0]).toEqual([100, 1_000]);
  });

  test("does not include small changes of a price that hardly moves", () => {
    expect(screen([100.1, 100.2], { lastClose: 100, medianMove: 0 })[0]).toEqual([100.1, 100.2]);
  });

  test("is never accepted without confirmation, in any sequence", () => {
    const closes = fc.array(fc.constantFrom(100, 101, 130, 131, 1_000, 0.01, 5_000), { maxLength: 12 });
    fc.assert(
      fc.property(closes, (drawn) => {
        const { accepted, refused } = screenBars(bars(...drawn), known, at);
        expect(accepted.length + refused.length).toBe(drawn.length);
        let last = known.lastClose;
        for (const [n, { close }] of accepted.entries()) {
          const isFar = Math.abs(Math.log(close / last)) > 0.2;
          if (isFar) expect(Math.abs(Math.log(accepted[n + 1]!.close / close))).toBeLessThanOrEqual(0.2);
          last = close;
        }
      }),
    );
  });
});

test("a repeated time is rejected", () => {
  const [bar] = bars(100);
  const { accepted, refused } = screenBars([bar!, { ...bar!, close: 101, high: 101 }], known, at);
  expect([accepted, refused.map(({ fault }) => fault)]).toEqual([[bar], ["duplicate"]]);
});

test("the median move uses consecutive hours, and is null for few hours", () => {
  const hours = (count: number, step = 1) =>
    Array.from({ length: count }, (_, n) => ({
      time: n * step * hour,
      close: n % 2 === 0 ? 100 : 100 * Math.exp(0.02),
    }));
  expect(getMedianMove(hours(13))).toBeCloseTo(0.02);
  expect(getMedianMove(hours(12))).toBeNull();
  expect(getMedianMove(hours(50, 2))).toBeNull();
});
