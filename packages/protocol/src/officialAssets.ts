import { confusableKeys, readDrawnLetters } from "./confusables.ts";
import type { Manifest } from "./manifest.ts";
import { checksummed } from "./primitives.ts";

/** An asset that was not launched by this service. `address` is its contract on this chain; null if unknown. */
export type OfficialAsset = { symbol: string; name: string | null; address: string | null };

/** Official assets by the keys of their names and symbols. */
export type OfficialAssets = ReadonlyMap<string, OfficialAsset>;

/**
 * Assets whose names and symbols buyers recognise on every chain, without an address on this chain. Source: `name` and
 * `symbol` of the issuers' contracts on Ethereum, and the names of the native assets, read on 2026-11-24; then other names
 * of the same assets that buyers use.
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
  ["WETH", "Wrapped ETH"],
  ["WETH", "Wrapped Ethereum"],
  ["WETH", "WETH.e"],
  ["USDC", "US Dollar Coin"],
  ["USDC", "Bridged USDC"],
  ["USDC", "USDC.e"],
  ["USDT", "Tether"],
  ["USDT", "Bridged USDT"],
  ["USDT", "USDT.e"],
  ["USDG", "Paxos Global Dollar"],
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

/** Letters that are written instead of another letter: `WΞTH`. */
const eLetters = /[\u039e\u03be\u03a3]/gu;

/** Letters as which a symbol is read, besides those of its skeleton: `U$DC`. */
const symbolLetters: ReadonlyMap<string, string> = new Map([
  ...["$", "\uff04", "\ufe69"].map((dollar) => [dollar, "s"] as const),
  ...["\u20ac", "\u2211"].map((symbol) => [symbol, "e"] as const),
  ["\u20bf", "b"],
  ["@", "a"],
]);

/** Letters as which digits are read: `U5DC`. The skeletons of 0 and 1 are letters. */
const digitLetters = new Map(Object.entries({ 3: "e", 4: "a", 5: "s", 7: "t" }));

const symbols = "[\\p{P}\\p{S}]";
const edges = new RegExp(`^(${symbols}*)(.*?)(${symbols}*)$`, "su");

/** Returns the keys of every reading of a text, also without the digits at its end: at most twenty. */
function toKeys(text: string): string[] {
  const readings = toReadings(text).flatMap((reading) => [reading, reading.replace(/[\p{Nd}\p{No}]+$/u, "")]);
  const keys = [...new Set(readings)]
    .filter(({ length }) => length <= maxUnits)
    .flatMap(confusableKeys)
    .map(simplifyKey);
  return [...new Set(keys)];
}

/**
 * Returns the ways to read a text as letters and digits. A symbol is an ornament or a letter: `$USDC`, `U$DC`. Symbols
 * at the beginning or the end can be ornaments while others are letters: `$U$DC`. Spaces and accents do not matter.
 */
function toReadings(text: string): string[] {
  const visible = readDrawnLetters(text.normalize("NFD"))
    .replace(/[^\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(eLetters, "e");
  const withoutSymbols = visible.replace(/[\p{P}\p{S}]/gu, "");
  if (visible === withoutSymbols || visible.length > maxUnits) return [withoutSymbols];
  const [start, middle, end] = edges.exec(visible)!.slice(1).map(readSymbols) as [string, string, string];
  return [withoutSymbols, middle, start + middle, middle + end, start + middle + end];
}

/** Replaces each symbol by the letter that it resembles, and removes a symbol that resembles none. */
function readSymbols(text: string): string {
  return text.replace(/[\p{P}\p{S}]/gu, (symbol) => {
    const letter = symbolLetters.get(symbol) ?? removeMarks(confusableKeys(symbol)[0] ?? "");
    return /^\p{L}$/u.test(letter) ? letter : "";
  });
}

/** Removes the accents of skeletons, and joins texts that differ by digits like letters or by `vv` instead of `w`. */
function simplifyKey(key: string): string {
  return removeMarks(key)
    .replace(/[3457]/g, (digit) => digitLetters.get(digit)!)
    .replaceAll("vv", "w");
}

const removeMarks = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "");
