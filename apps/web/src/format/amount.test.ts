import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmount, parseAmount, toExactAmount } from "./amount.ts";

const ether = 10n ** 18n;

describe("an amount", () => {
  it.each([
    [0n, 18, "0"],
    [ether, 18, "1"],
    [1_999_999_999_999_999_999n, 18, "1.99999"],
    [123_456_789n, 6, "123.456"],
    [12_345_678_900_000n, 6, "12,345,678"],
    [123_456_789_012_345n, 18, "0.000123456"],
    [1n, 18, "<0.000001"],
    [999n, 9, "<0.000001"],
    [1_000n, 9, "0.000001"],
    [1_234n, 0, "1,234"],
    [-1_500_000n, 6, "−1.5"],
  ])("of %d with %d decimals is shown as %s, rounded down", (value, decimals, text) => {
    expect(formatAmount(value, decimals)).toBe(text);
  });

  it.each([
    "",
    ".",
    ",",
    "1,234",
    "12,345",
    "1,234.5",
    "1,2,3",
    "-1",
    "1e3",
    "0x1",
    "1.2.3",
    "1.0000001",
    "١",
    "Infinity",
  ])("is not %j", (text) => {
    expect(parseAmount(text, 6)).toBeNull();
  });

  it.each([
    ["1", 1_000_000n],
    [" 1.5 ", 1_500_000n],
    [".5", 500_000n],
    ["0,5", 500_000n],
    ["1,5", 1_500_000n],
    ["0,125", 125_000n],
    ["1,2345", 1_234_500n],
    ["2.", 2_000_000n],
    ["0.000001", 1n],
  ])("is parsed from %j", (text, value) => {
    expect(parseAmount(text, 6)).toBe(value);
  });

  it("survives a field exactly, for any size and decimals", () => {
    const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 160n }), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(amounts, ([value, decimals]) => {
        expect(parseAmount(toExactAmount(value, decimals), decimals)).toBe(value);
      }),
    );
  });

  it("is never rounded up", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (value) => {
        const shown = formatAmount(value, 18);
        if (shown.startsWith("<")) return;
        expect(parseAmount(shown.replaceAll(",", ""), 18)!).toBeLessThanOrEqual(value);
      }),
    );
  });
});
