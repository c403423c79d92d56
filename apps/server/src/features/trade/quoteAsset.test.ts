import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { TradeAsset } from "../../transactions/tradeAssets.ts";
import { assertAssetPrice } from "./assetPrice.ts";
import { addImpacts } from "./quoteAsset.ts";

const low: Hex = `0x${"11".repeat(20)}`;
const high: Hex = `0x${"22".repeat(20)}`;
/** The root of a price of base units of token1 for one of token0, times 2^96. */
const toRoot = (price: number) => BigInt(Math.round(Math.sqrt(price) * 2 ** 48)) << 48n;

function getRefusal(isFirst: boolean, usdPerEth: number, ethUsd: number | null, decimals = 6): string | null {
  const [token, native] = isFirst ? [low, high] : [high, low];
  const asset: TradeAsset = { token, symbol: "USDG", decimals, pool: low, fee: 500, permitDomain: null };
  // Base units of the asset for a wei.
  const price = (usdPerEth * 10 ** decimals) / 1e18;
  try {
    assertAssetPrice(asset, native, toRoot(isFirst ? 1 / price : price), ethUsd, 200);
    return null;
  } catch (error) {
    if (error instanceof SlipwayError) return error.code;
    throw error;
  }
}

describe("the price of an asset's pool", () => {
  test.each([true, false])(
    "is accepted near the indexed price only, with 6 and 18 decimals (first token: %s)",
    (first) => {
      for (const decimals of [6, 18]) {
        expect(getRefusal(first, 3_000, 3_000, decimals)).toBeNull();
        expect(getRefusal(first, 3_050, 3_000, decimals)).toBeNull();
        expect(getRefusal(first, 3_070, 3_000, decimals)).toBe("asset_unavailable");
        expect(getRefusal(first, 2_930, 3_000, decimals)).toBe("asset_unavailable");
      }
      // The same pool read with the decimals of another token.
      expect(getRefusal(first, 3_000 * 1e12, 3_000)).toBe("asset_unavailable");
    },
  );

  test("is refused without an indexed price, and at the ends of the range", () => {
    expect(getRefusal(true, 3_000, null)).toBe("asset_unavailable");
    expect(getRefusal(true, 3_000, 0)).toBe("asset_unavailable");
    expect(getRefusal(false, 1e30, 3_000)).toBe("asset_unavailable");
  });
});

test("two price impacts are compounded; an unknown one makes the sum unknown", () => {
  expect(addImpacts(0, 0)).toBe(0);
  expect(addImpacts(100, 0)).toBe(100);
  expect(addImpacts(1_000, 1_000)).toBe(1_900);
  expect(addImpacts(10_000, 50)).toBe(10_000);
  expect([addImpacts(null, 1), addImpacts(1, null)]).toEqual([null, null]);
});
