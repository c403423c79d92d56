import fc from "fast-check";
import { expect, test } from "vitest";
import { windowSeconds } from "../../pricing/getWindowPrice.ts";
import { createEthUsdPrices } from "./ethUsdPrices.ts";

type Observation = { block_number: number; block_time: number; price: number };

test("C2-23 a block's own prices do not price its trades, also if they are the first of the pool", () => {
  const prices = createEthUsdPrices([]);
  expect(prices.getPrice(1, 100)).toBeNull();
  prices.add({ block_number: 2, block_time: 112, price: 3_000 });
  expect(prices.getPrice(2, 112)).toBeNull();
  expect(prices.getPrice(3, 112)).toBe(3_000);
  prices.add({ block_number: 3, block_time: 112, price: 300_000 });
  expect(prices.getPrice(3, 112)).toBe(3_000);
  prices.add({ block_number: 3, block_time: 112, price: 3_000 });
  prices.add({ block_number: 4, block_time: 124, price: 300_000 });
  expect(prices.getPrice(5, 136)).toBe(3_000);
});

test("a copy is independent", () => {
  const prices = createEthUsdPrices([{ block_number: 1, block_time: 0, price: 3_000 }]);
  const copy = prices.copy();
  copy.add({ block_number: 2, block_time: 1, price: 4_000 });
  expect([prices.getPrice(9, 700), copy.getPrice(9, 700)]).toEqual([3_000, 4_000]);
});

test("C2-23 after a restart at any block the prices are equal to the prices without a restart", () => {
  const block = fc.record({
    seconds: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2_000 })),
    prices: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 40 }), fc.nat(), (blocks, seed) => {
      const restartAt = seed % blocks.length;
      const running = createEthUsdPrices([]);
      let restarted = createEthUsdPrices([]);
      const stored: Observation[] = [];
      let time = 1_790_000_000;
      for (const [number, { seconds, prices }] of blocks.entries()) {
        time += seconds;
        expect(restarted.getPrice(number, time)).toBe(running.getPrice(number, time));
        for (const price of prices) {
          const observation = { block_number: number, block_time: time, price };
          for (const each of [running, restarted]) each.add(observation);
          if (stored.at(-1)?.block_number === number) stored.pop();
          stored.push(observation);
        }
        if (number !== restartAt) continue;
        // The rows that `readEthUsd` reads: from the last row at or before the window's start.
        const first = stored.findLastIndex((row) => row.block_time <= time - windowSeconds);
        restarted = createEthUsdPrices(stored.slice(Math.max(0, first)));
      }
    }),
  );
});
