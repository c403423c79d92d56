import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveFeeBps, minimumOut, poolFeeAmount, priceImpactBps, sqrtPriceX96AtTick } from "./poolMath.ts";

const q96 = 2n ** 96n;

describe("minimumOut", () => {
  test("returns the amount less the slippage, rounded down", () => {
    expect(minimumOut(10_000n, 1)).toBe(9_999n);
    expect(minimumOut(9_999n, 1)).toBe(9_998n);
    expect(minimumOut(1n, 1)).toBe(0n);
    expect(minimumOut(0n, 500)).toBe(0n);
  });

  test("is at most the exact share, and less than one unit below it", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 255n), fc.integer({ min: 1, max: 500 }), (amount, slippage) => {
        const exact = amount * BigInt(10_000 - slippage);
        const found = minimumOut(amount, slippage) * 10_000n;
        return found <= exact && exact - found < 10_000n;
      }),
    );
  });
});

describe("poolFeeAmount", () => {
  test("is at least the exact part of the input, and less than one unit above it", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 255n), fc.constantFrom(100, 500, 3_000, 10_000), (amount, feePips) => {
        const exact = amount * BigInt(feePips);
        const found = poolFeeAmount(amount, feePips) * 1_000_000n;
        return found >= exact && found - exact < 1_000_000n;
      }),
    );
  });
});

describe("priceImpactBps", () => {
  test("is zero at the pool's price less its fee, in both directions", () => {
    expect(priceImpactBps(10n ** 18n, 99n * 10n ** 16n, q96, true, 10_000)).toBe(0);
    expect(priceImpactBps(10n ** 18n, 99n * 10n ** 16n, q96, false, 10_000)).toBe(0);
  });

  test("rounds to the nearest basis point and is at least zero", () => {
    const expected = 99n * 10n ** 16n;
    expect(priceImpactBps(10n ** 18n, (expected * 9_500n) / 10_000n, q96, true, 10_000)).toBe(500);
    expect(priceImpactBps(10n ** 18n, expected * 2n, q96, true, 10_000)).toBe(0);
  });

  test("is zero for a tiny trade at the start tick in either direction", () => {
    const price = sqrtPriceX96AtTick(203_200);
    const token1PerToken0 = (10n ** 18n * price * price) / 2n ** 192n;
    const out = (token1PerToken0 * 99n) / 100n;
    expect(priceImpactBps(10n ** 18n, out, price, true, 10_000)).toBe(0);
    expect(priceImpactBps(token1PerToken0, 99n * 10n ** 16n, price, false, 10_000)).toBe(0);
  });

  test("is null if the trade yields nothing at the pool's price", () => {
    expect(priceImpactBps(1n, 0n, sqrtPriceX96AtTick(-800_000), true, 10_000)).toBeNull();
    expect(priceImpactBps(1n, 0n, 0n, false, 10_000)).toBeNull();
  });
});

describe("effectiveFeeBps", () => {
  test.each([
    [100, 0x00, 100],
    [100, 0x66, 83.33],
    [100, 0x60, 83.33],
    [100, 0x4a, 75],
    [30, 0x44, 22.5],
  ])("of %i bps with the protocol fee %i is %d", (feeBps, poolProtocolFee, effective) => {
    expect(effectiveFeeBps(feeBps, poolProtocolFee)).toBe(effective);
  });
});
