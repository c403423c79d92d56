import { expect, test } from "vitest";
import { formatRatio, formatSqrtPrice, formatUnitsExact } from "./decimalText.ts";

test("amounts are exact, without trailing zeros", () => {
  expect(formatUnitsExact(0n, 18)).toBe("0");
  expect(formatUnitsExact(1n, 18)).toBe("0.000000000000000001");
  expect(formatUnitsExact(1_500_000_000_000_000_000n, 18)).toBe("1.5");
  expect(formatUnitsExact(10n ** 45n, 18)).toBe(`1${"0".repeat(27)}`);
  expect(formatUnitsExact(120n, 0)).toBe("120");
});

test("ratios have up to 50 places, rounded down", () => {
  expect(formatRatio(1n, 3n)).toBe(`0.${"3".repeat(50)}`);
  expect(formatRatio(2n, 3n)).toBe(`0.${"6".repeat(50)}`);
  expect(formatRatio(1n, 10n ** 27n)).toBe(`0.${"0".repeat(26)}1`);
  expect(formatRatio(6n, 3n)).toBe("2");
});

test("square-root prices are priced from either asset", () => {
  expect(formatSqrtPrice(1n << 97n, true)).toBe("4");
  expect(formatSqrtPrice(1n << 97n, false)).toBe("0.25");
});
