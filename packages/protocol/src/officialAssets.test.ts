import { describe, expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { findOfficialAsset, indexOfficialAssets } from "./officialAssets.ts";

const manifest = {
  wrapped_native: { address: `0x${"1".repeat(40)}` },
  eth_usd: { stablecoin: { address: `0x${"2".repeat(40)}` }, stablecoin_symbol: "USDG" },
  gas_station_tokens: [
    { symbol: "USDG", address: `0x${"2".repeat(40)}` },
    { symbol: "EURX", address: `0x${"3".repeat(40)}` },
  ],
} as unknown as Manifest;
const assets = indexOfficialAssets(manifest);
const find = (...texts: string[]) => findOfficialAsset(assets, texts)?.symbol ?? null;

describe("findOfficialAsset", () => {
  test.each([
    ["WETH", "WETH"],
    ["weth", "WETH"],
    ["W E T H", "WETH"],
    ["$WETH", "WETH"],
    ["w-e_t.h", "WETH"],
    // Cyrillic letters.
    ["W\u0415\u0422\u041d", "WETH"],
    // Spaces and invisible characters, more than the compared length.
    [`W${" \u200b".repeat(200)}ETH`, "WETH"],
    ["wrapped  ether", "WETH"],
    ["WrappedEther", "WETH"],
    ["USDG", "USDG"],
    ["Global Dollar", "USDG"],
    ["eurx", "EURX"],
    ["Bitcoin", "BTC"],
  ])("C7-60 finds the official asset that %j resembles", (text, symbol) => {
    expect(find(text)).toBe(symbol);
    expect(find("Tin Boat", text)).toBe(symbol);
  });

  test.each(["Tin Boat", "TIN", "WETHER", "Ether Boat", "USD", "", " ", "-", "WETH".repeat(100)])(
    "C7-60 finds no official asset for %j",
    (text) => {
      expect(find(text)).toBeNull();
    },
  );

  test("names the address of an asset of the manifest, and none without a manifest", () => {
    expect(findOfficialAsset(assets, ["weth"])).toEqual({
      symbol: "WETH",
      name: "Wrapped Ether",
      address: manifest.wrapped_native.address,
    });
    expect(findOfficialAsset(assets, ["EURX"])).toMatchObject({ name: null, address: `0x${"3".repeat(40)}` });
    expect(findOfficialAsset(indexOfficialAssets(null), ["weth"])).toMatchObject({ address: null });
    expect(findOfficialAsset(indexOfficialAssets(null), ["EURX"])).toBeNull();
  });
});
