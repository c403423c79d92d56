import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getWindowPrice, type PricePoint, windowSeconds } from "./getWindowPrice.ts";

const end = 1_790_000_000;
const honest = 3_000;

/** Creates points from pairs of seconds before the end, and prices. */
const toPoints = (...points: [secondsBefore: number, price: number][]): PricePoint[] =>
  points.map(([secondsBefore, price]) => ({ block_time: end - secondsBefore, price }));

describe("the window's price", () => {
  test("is unknown without a point, and the only price of a pool without swaps for days", () => {
    expect(getWindowPrice([], end)).toBeNull();
    expect(getWindowPrice(toPoints([400_000, 2_000]), end)).toBe(2_000);
  });

  test("is the price that the pool had for most of the window", () => {
    expect(getWindowPrice(toPoints([900, 2_000], [301, 2_100]), end)).toBe(2_100);
    expect(getWindowPrice(toPoints([900, 2_000], [299, 2_100]), end)).toBe(2_000);
    expect(getWindowPrice(toPoints([600, 5], [480, 1], [360, 3], [240, 2], [120, 4]), end)).toBe(3);
  });

  test("is the lower price if two prices have half of the window each", () => {
    expect(getWindowPrice(toPoints([900, 2_000], [300, 2_100]), end)).toBe(2_000);
    expect(getWindowPrice(toPoints([900, 2_100], [300, 2_000]), end)).toBe(2_000);
  });

  test("counts the first price for the time before a pool existed", () => {
    expect(getWindowPrice(toPoints([0, 2_000]), end)).toBe(2_000);
    expect(getWindowPrice(toPoints([10, 2_000], [9, 2_100]), end)).toBe(2_000);
  });

  test("omits all blocks of the last second, and all blocks of a second except the last", () => {
    expect(getWindowPrice(toPoints([900, 2_000], [0, 1], [0, 1e6]), end)).toBe(2_000);
    expect(getWindowPrice(toPoints([900, 2_000], [500, 1], [500, 2_100]), end)).toBe(2_100);
  });
});

/** A pool with one liquidity for all prices: dollars and native that a change of its price needs (whitepaper, 6.2). */
function createPool(reserveUsd: number) {
  const liquidity = reserveUsd / Math.sqrt(honest);
  let [price, dollars, native] = [honest, 0, 0];
  return {
    /** Moves the price. `dollars` and `native` are what a trader paid in total; negative: received. */
    moveTo: (next: number) => {
      dollars += liquidity * (Math.sqrt(next) - Math.sqrt(price));
      native += liquidity * (1 / Math.sqrt(next) - 1 / Math.sqrt(price));
      price = next;
      return { dollars, native };
    },
  };
}

describe("C2-23 the formulas of docs/models.md (ETH/USD)", () => {
  const reserveUsd = 1_000_000;

  test.each([1.1, 1.01, 2, 100])(
    "an attacker who moves the pool by %s needs the capital for half of the window",
    (move) => {
      const paid = createPool(reserveUsd).moveTo(honest * move).dollars;
      expect(paid).toBeCloseTo(reserveUsd * (Math.sqrt(move) - 1), 6);
      for (let seconds = 0; seconds <= windowSeconds; seconds++) {
        const price = getWindowPrice(toPoints([100_000, honest], [seconds, honest * move]), end);
        expect([seconds, price]).toEqual([seconds, seconds > windowSeconds / 2 ? honest * move : honest]);
      }
    },
  );

  test("a lower price needs native instead of dollars, for half of the window", () => {
    const { native } = createPool(reserveUsd).moveTo(honest / 1.1);
    expect(native * honest).toBeCloseTo(reserveUsd * (Math.sqrt(1.1) - 1), 6);
    for (let seconds = 0; seconds <= windowSeconds; seconds++) {
      const price = getWindowPrice(toPoints([100_000, honest], [seconds, honest / 1.1]), end);
      expect([seconds, price]).toEqual([seconds, seconds >= windowSeconds / 2 ? honest / 1.1 : honest]);
    }
  });

  test("an attacker loses the stated amount in each block in which a trader restores the price", () => {
    const root = Math.sqrt(1.1);
    const { dollars, native } = createPool(reserveUsd).moveTo(honest * 1.1);
    // The attacker keeps the bought native, which is worth the honest price.
    expect(dollars + native * honest).toBeCloseTo((reserveUsd * (root - 1) ** 2) / root, 6);
  });

  test("the amounts of the table follow from the formulas", () => {
    const root = Math.sqrt(1.1);
    const amounts = [200_500, reserveUsd].map((reserve) => {
      const lossPerBlock = (reserve * (root - 1) ** 2) / root;
      const halfWindow = windowSeconds / 2;
      return [reserve * (root - 1), (lossPerBlock * halfWindow) / 12, (lossPerBlock * halfWindow) / 2].map(Math.round);
    });
    expect(amounts).toEqual([
      [9_786, 11_386, 68_313],
      [48_809, 56_786, 340_716],
    ]);
  });

  test("prices that a pool has for less than half of the window stay within the other prices", () => {
    const block = fc.record({
      seconds: fc.integer({ min: 0, max: 60 }),
      price: fc.double({ min: 2_000, max: 4_000, noNaN: true }),
      pushed: fc.option(fc.constantFrom(1e-6, 1, 1e6, 1e9), { freq: 2 }),
    });
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 60 }), (blocks) => {
        let time = end - blocks.reduce((sum, { seconds }) => sum + seconds, 0);
        const points: PricePoint[] = [{ block_time: time - windowSeconds, price: honest }];
        const honestPrices = [honest];
        let pushedSeconds = 0;
        for (const { seconds, price, pushed } of blocks) {
          const isPushed = pushed !== null && 2 * (pushedSeconds + seconds) < windowSeconds;
          if (isPushed) pushedSeconds += seconds;
          else honestPrices.push(price);
          points.push({ block_time: time, price: isPushed ? pushed : price });
          time += seconds;
        }
        const price = getWindowPrice(points, end)!;
        expect(price).toBeGreaterThanOrEqual(Math.min(...honestPrices));
        expect(price).toBeLessThanOrEqual(Math.max(...honestPrices));
      }),
    );
  });
});
