import fc from "fast-check";
import { expect, test } from "vitest";
import { addPrice, bucketStart, openCandle, windowStart } from "./candle.ts";
import { cleanText, readMetadataUri } from "./metadataDocument.ts";
import { sqrtPriceX96AtTick } from "./poolMath.ts";
import { plausibleEthUsd, priceFromSqrtX96, tradePrices, usdMicros } from "./price.ts";

/** Returns the price as an exact fraction, converted to a double in the last step. */
function exact(sqrt: bigint, isToken0: boolean): number {
  const [n, d] = isToken0 ? [sqrt * sqrt, 1n << 192n] : [1n << 192n, sqrt * sqrt];
  return Number(`${(n * 10n ** 120n) / d}e-120`);
}

test("a price equals the exact fraction up to the last bits, from the minimum to the maximum price of a pool", () => {
  const sqrt = fc.bigInt({ min: 4295128739n, max: 1461446703485210103287273052203988822378723970341n });
  fc.assert(
    fc.property(sqrt, fc.boolean(), (value, isToken0) => {
      const price = priceFromSqrtX96(value, isToken0);
      expect(price).toBeGreaterThan(0);
      expect(Math.abs(price / exact(value, isToken0) - 1)).toBeLessThan(1e-14);
    }),
    { numRuns: 1000 },
  );
});

test("the default start tick prices the whole supply at about 1.5 of the native asset", () => {
  expect(priceFromSqrtX96(sqrtPriceX96AtTick(-203200), true) * 1e9).toBeCloseTo(1.498, 2);
  expect(priceFromSqrtX96(sqrtPriceX96AtTick(203200), false) * 1e9).toBeCloseTo(1.498, 2);
});

test("decimals shift a price: 1 native for 3,000 units of 6 decimals", () => {
  const sqrt = BigInt(Math.round(Math.sqrt(3000e-12) * 2 ** 60)) << 36n;
  expect(priceFromSqrtX96(sqrt, true, 18, 6)).toBeCloseTo(3000, 6);
});

test("USD sums do not depend on their order, and an unknown price gives null", () => {
  expect(usdMicros(10n ** 18n, 3000)).toBe(3_000_000_000n);
  expect(usdMicros(10n ** 18n, null)).toBeNull();
  expect(tradePrices(2n * 10n ** 18n, 10n ** 18n, 3000)).toEqual({ priceEth: 0.5, priceUsd: 1500, volumeUsd: 3000 });
  expect(tradePrices(0n, 5n, null)).toEqual({ priceEth: null, priceUsd: null, volumeUsd: null });
  expect([plausibleEthUsd(0), plausibleEthUsd(Number.NaN), plausibleEthUsd(1e12), plausibleEthUsd(2500)]).toEqual([
    null,
    null,
    null,
    2500,
  ]);
});

test("a candle opens at the previous close, which its range includes", () => {
  const candle = openCandle(5, 7);
  addPrice(candle, 3);
  addPrice(candle, 6);
  expect(candle).toEqual({ o: 5, h: 7, l: 3, c: 6 });
  expect(bucketStart(3661, 3600)).toBe(3600);
  expect(windowStart(86400 + 59)).toBe(0);
});

test("C2-14 cleanText removes characters that cannot be stored or that reorder text", () => {
  expect(cleanText("a\u0000b\u202ec\ud800", 10)).toBe("abc\ufffd");
  expect(cleanText("x".repeat(1_000_000), 256)).toHaveLength(256);
  expect(cleanText("🚀".repeat(10), 5)).toBe(`${"🚀".repeat(2)}\ufffd`);
});

test("readMetadataUri reads plain, percent-encoded and base64 documents; other URIs give nulls", () => {
  const document = { description: "100% real", image: "ipfs://x", external_link: "https://a.b/" };
  const wanted = { description: "100% real", image: "ipfs://x", website: "https://a.b/" };
  const json = JSON.stringify(document);
  expect(readMetadataUri(`data:application/json,${encodeURIComponent(json)}`)).toEqual(wanted);
  expect(readMetadataUri(`data:application/json;utf8,${json}`)).toEqual(wanted);
  expect(readMetadataUri(`data:application/json;base64,${btoa(json)}`)).toEqual(wanted);
  const nothing = { description: null, image: null, website: null };
  for (const uri of [
    "",
    "ipfs://x",
    "data:application/json,{",
    "data:application/json;base64,!!",
    "data:application/json,[]",
  ]) {
    expect(readMetadataUri(uri)).toEqual(nothing);
  }
  const hostile = JSON.stringify({ image: "javascript:alert(1)", website: "http://plain" });
  expect(readMetadataUri(`data:application/json,${hostile}`)).toEqual(nothing);
});
