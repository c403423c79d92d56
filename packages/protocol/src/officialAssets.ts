import { confusableKeys, removeSeparators } from "./confusables.ts";
import type { Manifest } from "./manifest.ts";
import { checksummed } from "./primitives.ts";

/** An asset that was not launched by this service. `address` is its contract on this chain; null if unknown. */
export type OfficialAsset = { symbol: string; name: string | null; address: string | null };

/** Official assets by the keys of their names and symbols. */
export type OfficialAssets = ReadonlyMap<string, OfficialAsset>;

/**
 * Assets whose names and symbols buyers recognise on every chain, without an address on this chain. Source: `name` and
 * `symbol` of the issuers' contracts on Ethereum, and the names of the native assets, read on 2026-11-24.
 */
const knownAssets: readonly (readonly [symbol: string, name: string])[] = [
  ["ETH", "Ether"],
  ["ETH", "Ethereum"],
  ["WETH", "Wrapped Ether"],
  ["BTC", "Bitcoin"],
  ["WBTC", "Wrapped BTC"],
  ["WBTC", "Wrapped Bitcoin"],
  ["USDC", "USD Coin"],
  ["USDT", "Tether USD"],
  ["USDG", "Global Dollar"],
  ["DAI", "Dai Stablecoin"],
];

/**
 * Indexes the official assets of a chain: its wrapped native asset, its stablecoin and the tokens of its gas station,
 * from the manifest, and assets that are known on every chain.
 */
export function indexOfficialAssets(manifest: Manifest | null): OfficialAssets {
  const addresses = new Map<string, string>();
  if (manifest !== null) {
    for (const { symbol, address } of manifest.gas_station_tokens) addresses.set(symbol, address);
    if (manifest.eth_usd !== null)
      addresses.set(manifest.eth_usd.stablecoin_symbol, manifest.eth_usd.stablecoin.address);
    addresses.set("WETH", manifest.wrapped_native.address);
  }
  const assets: OfficialAsset[] = knownAssets.map(([symbol, name]) => ({
    symbol,
    name,
    address: toAddress(addresses.get(symbol)),
  }));
  for (const [symbol, address] of addresses) {
    if (assets.some((asset) => asset.symbol === symbol)) continue;
    assets.push({ symbol, name: null, address: toAddress(address) });
  }
  const index = new Map<string, OfficialAsset>();
  for (const asset of assets) {
    for (const key of [asset.symbol, asset.name ?? ""].flatMap(toKeys)) if (!index.has(key)) index.set(key, asset);
  }
  return index;
}

const toAddress = (address: string | undefined) => (address === undefined ? null : checksummed(address));

/** Finds the official asset with which one of the texts can be confused; null if none exists. */
export function findOfficialAsset(assets: OfficialAssets, texts: readonly string[]): OfficialAsset | null {
  for (const key of texts.flatMap(toKeys)) {
    const found = assets.get(key);
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * Maximum length of a compared text in UTF-16 units. A text has at most as many characters as its key, and the keys of
 * official assets are shorter, so that a longer text resembles none. This bounds the cost for names of any length.
 */
const maxUnits = 64;

function toKeys(text: string): string[] {
  const compared = removeSeparators(text);
  return compared.length > maxUnits ? [] : confusableKeys(compared);
}
