import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { ManifestState } from "../chain/chain.ts";

/** An asset that a trade can exchange for wrapped native in the same swap, with its pool. */
export type TradeAsset = {
  token: Hex;
  symbol: string;
  decimals: number;
  pool: Hex;
  /** The fee of its pool in hundredths of a basis point. */
  fee: number;
  /** The name and version of the domain of its permit (ERC-2612); null if it has none. */
  permitDomain: { name: string; version: string } | null;
};

/** Returns the asset of a manifest, the stablecoin of its ETH/USD pool; null without such a pool. */
function findAsset({ eth_usd, gas_station_tokens }: Manifest): TradeAsset | null {
  if (eth_usd === null) return null;
  const token = checksummed(eth_usd.stablecoin.address);
  const listed = gas_station_tokens.find(({ address }) => checksummed(address) === token);
  return {
    token,
    symbol: eth_usd.stablecoin_symbol,
    decimals: eth_usd.stablecoin_decimals,
    pool: checksummed(eth_usd.pool),
    fee: eth_usd.fee,
    permitDomain: listed?.permit ? listed.permit_domain : null,
  };
}

/** Lists the assets that can be traded now: without those whose own checks failed. */
export function listTradeAssets({ manifest, disabledGasTokens }: ManifestState): TradeAsset[] {
  const asset = manifest === null ? null : findAsset(manifest);
  return asset === null || disabledGasTokens.has(asset.token.toLowerCase()) ? [] : [asset];
}

/**
 * Returns the asset with an address.
 *
 * @param field - The field of the request, for the error.
 * @throws SlipwayError `invalid_fields` for an address that is no asset, `asset_unavailable` for one that has changed.
 */
export function requireTradeAsset(state: ManifestState, address: Hex, field: string): TradeAsset {
  const asset = state.manifest === null ? null : findAsset(state.manifest);
  if (asset?.token !== address) {
    throw new SlipwayError("invalid_fields", "This asset cannot be traded: GET /config lists the trade_assets.", {
      field,
    });
  }
  if (listTradeAssets(state).length > 0) return asset;
  throw new SlipwayError("asset_unavailable", `${asset.symbol} has changed: its code is not that of the manifest.`);
}
