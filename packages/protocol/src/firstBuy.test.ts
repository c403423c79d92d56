import { expect, test } from "vitest";
import { firstBuy } from "./firstBuy.ts";
import { launchPosition } from "./launchPosition.ts";

// Results of the quoter from Uniswap's published bytecode; tests/e2e compares more results on a chain.
test.each([
  [true, 1n, 0n, 3066678542806029913637481n],
  [true, 101n, 66078146493n, 3066678542806030116277915n],
  [true, 10n ** 17n, 61982460484393572712369065n, 3269318977116000425001703n],
  [true, 10n ** 33n, 999999999999998486640344704n, 2026404343099708180320763018732990464072n],
  [false, 1n, 0n, 2046873073838085973375944779044050n],
  [false, 101n, 66078146594n, 2046873073838085838122365745485331n],
  [false, 10n ** 17n, 61982460484393572712369099n, 1920002844422347601929427690712924n],
  [false, 10n ** 33n, 999999999999998486640344932n, 3097655093743459872n],
])(
  "equals the pool's result, to the base unit (token is token0: %s, for %s)",
  (isToken0, amountIn, amountOut, after) => {
    const bought = firstBuy(launchPosition(203_200, isToken0), amountIn);
    expect(bought).toEqual({ amountOut, spent: amountIn, sqrtPriceX96After: after });
  },
);

test.each([true, false])("spends no more than the whole supply costs (token is token0: %s)", (isToken0) => {
  const position = launchPosition(880_000, isToken0);
  const { amountOut, spent } = firstBuy(position, 2n ** 127n);
  expect(spent).toBeLessThan(2n ** 127n);
  expect(amountOut).toBeGreaterThan(10n ** 27n - 10n ** 19n);
  expect(amountOut).toBeLessThanOrEqual(10n ** 27n);
});
