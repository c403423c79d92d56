import { expect, test } from "vitest";
import { firstBuy } from "./firstBuy.ts";
import { launchPosition } from "./launchPosition.ts";

const tickSpacings = { 100: 200, 50: 100, 30: 60, 10: 20 } as const;
const toTier = (feeBps: keyof typeof tickSpacings) => ({ feeBps, tickSpacing: tickSpacings[feeBps] });

// tests/e2e/launchOptionsThroughApi compares these and more results with the quoter of Uniswap's published bytecode.
test.each([
  [100, true, 1n, 0n, 3036166099448723169660105n],
  [50, true, 101n, 68093884928n, 3036166099448723376404450n],
  [30, true, 10n ** 17n, 63573615913049314853751297n, 3242290212069466652573184n],
  [10, true, 10n ** 33n, 999999999999998529969312362n, 2065376013120592197953126125243274460141n],
  [100, false, 1n, 0n, 2067443456577166328115121124008726n],
  [50, false, 101n, 68093885145n, 2067443456577166187334863847576120n],
  [30, false, 10n ** 17n, 63573615913049314853751514n, 1936008600346782506653911936087081n],
  [10, false, 10n ** 33n, 999999999999998529969312625n, 3039205304753472179n],
] as const)(
  "equals the pool's result, to the base unit (%i bp, token is token0: %s, for %s)",
  (feeBps, isToken0, amountIn, amountOut, after) => {
    const bought = firstBuy(launchPosition(203_400, isToken0), toTier(feeBps), amountIn);
    expect(bought).toEqual({ amountOut, spent: amountIn, sqrtPriceX96After: after });
  },
);

test.each([true, false])("spends no more than the whole supply costs (token is token0: %s)", (isToken0) => {
  const position = launchPosition(880_200, isToken0);
  for (const feeBps of [100, 50, 30, 10] as const) {
    const { amountOut, spent } = firstBuy(position, toTier(feeBps), 2n ** 127n);
    expect(spent).toBeLessThan(2n ** 127n);
    expect(amountOut).toBeGreaterThan(10n ** 27n - 10n ** 19n);
    expect(amountOut).toBeLessThanOrEqual(10n ** 27n);
  }
});
