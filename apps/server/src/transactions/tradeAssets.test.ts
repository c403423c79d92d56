import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { testManifest } from "../../../../tests/support/server/testManifest.ts";
import type { ManifestState } from "../chain/chain.ts";
import { listTradeAssets, requireTradeAsset } from "./tradeAssets.ts";

const pinned = { address: `0x${"a1".repeat(20)}`, runtime_code_hash: `0x${"11".repeat(32)}` };
const usdg = checksummed(pinned.address);
const withPool = (permit: boolean): Manifest => ({
  ...testManifest,
  eth_usd: {
    pool: `0x${"b2".repeat(20)}`,
    fee: 500,
    stablecoin: pinned,
    stablecoin_symbol: "USDG",
    stablecoin_decimals: 6,
  },
  gas_station_tokens: [
    { ...pinned, symbol: "USDG", decimals: 6, permit, permit_domain: { name: "Global Dollar", version: "1" } },
  ],
});
const createState = (manifest: Manifest | null, disabled: string[] = []) =>
  ({ manifest, disabledGasTokens: new Set(disabled) }) as Partial<ManifestState> as ManifestState;

function getRefusal(state: ManifestState, address: Hex): string | null {
  try {
    requireTradeAsset(state, address, "pay.asset");
    return null;
  } catch (error) {
    if (error instanceof SlipwayError) return error.code;
    throw error;
  }
}

describe("assets of trades", () => {
  test("are the stablecoin of the ETH/USD pool with its pool, decimals and permit", () => {
    const state = createState(withPool(true));
    const asset = {
      token: usdg,
      symbol: "USDG",
      decimals: 6,
      pool: checksummed(`0x${"b2".repeat(20)}`),
      fee: 500,
      permitDomain: { name: "Global Dollar", version: "1" },
    };
    expect(listTradeAssets(state)).toEqual([asset]);
    expect(requireTradeAsset(state, usdg, "pay.asset")).toEqual(asset);
    expect(listTradeAssets(createState(withPool(false)))[0]?.permitDomain).toBeNull();
  });

  test("are none without a manifest or a pool", () => {
    for (const manifest of [null, { ...testManifest, eth_usd: null }]) {
      const state = createState(manifest);
      expect([listTradeAssets(state), getRefusal(state, usdg)]).toEqual([[], "invalid_fields"]);
    }
  });

  test("are not traded while the code of the asset has changed", () => {
    const state = createState(withPool(true), [usdg.toLowerCase()]);
    expect([listTradeAssets(state), getRefusal(state, usdg)]).toEqual([[], "asset_unavailable"]);
  });
});
