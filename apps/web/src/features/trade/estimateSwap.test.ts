import { launchPosition } from "@slipway/protocol/launchPosition";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateSwap as estimate, type SwapEstimate } from "./estimateSwap.ts";
import { getImpactLevel, isWorse } from "./tradeOrder.ts";

const [low, high] = [`0x${"11".repeat(20)}`, `0x${"ee".repeat(20)}`];

/** Returns the pool of a launch after its first buy, so that its position is active. */
function createPool(isToken0: boolean, moved = 10_001n) {
  const position = launchPosition(203_400, isToken0);
  const sqrt = isToken0 ? (position.sqrtPriceX96 * moved) / 10_000n : (position.sqrtPriceX96 * 10_000n) / moved;
  return {
    address: isToken0 ? low! : high!,
    quote_token: isToken0 ? high! : low!,
    fee_bps: 100,
    pool_state: {
      sqrt_price_x96: sqrt.toString(),
      tick: position.tickStart,
      liquidity: position.liquidity.toString(),
      tick_lower: position.tickLower,
      tick_upper: position.tickUpper,
      pool_protocol_fee: 0,
      lp_fee_bps_effective: 100,
    },
  };
}

describe("a trade estimate", () => {
  test.each([true, false])("of a round trip never returns more than the payment (token0: %s)", (isToken0) => {
    const pool = createPool(isToken0, 20_000n);
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 9n, max: 10n ** 17n }), (amount) => {
        const bought = estimate(pool, "buy", amount) as SwapEstimate;
        const sold = estimate(pool, "sell", bought.amountOut) as SwapEstimate;
        expect(sold.amountOut).toBeLessThan(amount);
        expect(bought.feeAmount).toBe((amount + 99n) / 100n);
      }),
    );
  });

  test("is null if nothing is paid or the pool is unknown", () => {
    for (const isToken0 of [true, false]) {
      const pool = createPool(isToken0);
      expect(estimate(pool, "buy", 0n)).toBeNull();
      expect(estimate({ ...pool, quote_token: null }, "buy", 1n)).toBeNull();
      expect(estimate({ ...pool, pool_state: { ...pool.pool_state, liquidity: "0" } }, "buy", 1n)).toBeNull();
      expect(estimate({ ...pool, pool_state: { ...pool.pool_state, sqrt_price_x96: "0" } }, "buy", 1n)).toBeNull();
    }
  });

  test.each([true, false])("reports a pool that is too thin at each end of the position (token0: %s)", (isToken0) => {
    const pool = createPool(isToken0);
    expect(estimate(pool, "sell", 10n ** 27n)).toBe("too_thin");
    expect(estimate(pool, "buy", 10n ** 42n)).toBe("too_thin");
  });

  test.each([true, false])("of a pool without buys: too thin for a sell, null for a buy (token0: %s)", (isToken0) => {
    const { pool_state, ...pool } = createPool(isToken0);
    // The price is outside the position, at its start: there the position contains only tokens.
    const tick = isToken0 ? pool_state.tick_lower - 1 : pool_state.tick_upper;
    const fresh = { ...pool, pool_state: { ...pool_state, tick, liquidity: "0" } };
    expect(estimate(fresh, "sell", 1n)).toBe("too_thin");
    expect(estimate(fresh, "buy", 10n ** 15n)).toBeNull();
  });
});

test("a price impact requires a tick from 5% and typing from 15%", () => {
  expect([null, 0, 299, 300, 499, 500, 1_499, 1_500].map(getImpactLevel)).toEqual([
    "none",
    "none",
    "none",
    "amber",
    "amber",
    "tick",
    "tick",
    "typed",
  ]);
});

test("a quote is worse if it uses more than half the slippage", () => {
  expect([isWorse(9_950n, 10_000n, 100), isWorse(9_949n, 10_000n, 100), isWorse(10_001n, 10_000n, 100)]).toEqual([
    false,
    true,
    false,
  ]);
});
