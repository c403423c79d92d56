import { z } from "zod";
import { confusableKeys, readDrawnLetters } from "./confusables.ts";
import type { Manifest } from "./manifest.ts";
import { checksummed } from "./primitives.ts";

/** An asset that was not launched by this service. `address` is its contract on this chain; null if unknown. */
export type OfficialAsset = { symbol: string; name: string | null; address: string | null };

/** Official assets by the keys of their names and symbols. */
export type OfficialAssets = ReadonlyMap<string, OfficialAsset>;

/**
 * A file of official assets. `source` says where the names come from, `date` when they were read. A list with a null
 * `chain_id` applies to every chain.
 */
export const officialAssetList = z.strictObject({
  chain_id: z.int().nullable(),
  source: z.string().min(1),
  date: z.iso.date(),
  assets: z
    .array(z.strictObject({ symbol: z.string().min(1).max(64), name: z.string().min(1).max(256).nullable() }))
    .max(10_000),
});
export type OfficialAssetList = z.infer<typeof officialAssetList>;

/** Minimum length of a compared key: shorter symbols and names are also parts of ordinary names. */
const minKeyLength = 3;

/**
 * Indexes the official assets of a chain: its wrapped native asset, its stablecoin and the tokens of its gas station,
 * from the manifest, and the assets of the lists for this chain or for every chain. An asset of a list has an address only
 * if the manifest pins a contract for its symbol.
 */
export function indexOfficialAssets(manifest: Manifest | null, lists: readonly OfficialAssetList[]): OfficialAssets {
  const addresses = new Map<string, string>();
  if (manifest !== null) {
    for (const { symbol, address } of manifest.gas_station_tokens) addresses.set(symbol, address);
    if (manifest.eth_usd !== null)
      addresses.set(manifest.eth_usd.stablecoin_symbol, manifest.eth_usd.stablecoin.address);
    addresses.set("WETH", manifest.wrapped_native.address);
  }
  const assets: OfficialAsset[] = [...addresses].map(([symbol, address]) => {
    const known = lists.flatMap((list) => list.assets).find((asset) => asset.symbol === symbol);
    return { symbol, name: known?.name ?? null, address: checksummed(address) };
  });
  for (const { chain_id, assets: listed } of lists) {
    if (chain_id !== null && chain_id !== manifest?.chain_id) continue;
    for (const { symbol, name } of listed) assets.push({ symbol, name, address: toAddress(addresses.get(symbol)) });
  }
  const index = new Map<string, OfficialAsset>();
  for (const asset of assets) {
    for (const key of [asset.symbol, asset.name ?? ""].flatMap(toKeys)) {
      if (key.length >= minKeyLength && !index.has(key)) index.set(key, asset);
    }
  }
  return index;
}

const toAddress = (address: string | undefined) => (address === undefined ? null : checksummed(address));

/** Results by text. A list of tokens compares the same texts as the list before. */
const compared = new WeakMap<OfficialAssets, Map<string, OfficialAsset | null>>();
const maxCompared = 20_000;

/** Finds the official asset with which one of the texts can be confused; null if none exists. */
export function findOfficialAsset(assets: OfficialAssets, texts: readonly string[]): OfficialAsset | null {
  let known = compared.get(assets);
  if (known === undefined || known.size >= maxCompared) {
    known = new Map();
    compared.set(assets, known);
  }
  for (const text of texts) {
    let found = known.get(text);
    if (found === undefined) {
      found = compare(assets, text);
      if (text.length <= maxUnits) known.set(text, found);
    }
    if (found !== null) return found;
  }
  return null;
}

function compare(assets: OfficialAssets, text: string): OfficialAsset | null {
  for (const key of [text, removeClaims(text)].flatMap(toKeys)) {
    const found = assets.get(key);
    if (found !== undefined) return found;
  }
  return null;
}

/** Words that claim to be the asset, or name its kind, as keys: "Official WETH", "Real Tesla Token". */
const claims: ReadonlySet<string> = new Set(
  [
    ...["official", "officially", "real", "true", "original", "genuine", "authentic", "verified", "legit", "the"],
    ...["token", "coin", "stock", "share", "shares", "inc", "corp", "robinhood", "tokenized"],
  ].flatMap(confusableKeys),
);

/** Removes the words of `claims` from a text, in any letters that resemble them. Empty for a text of such words only. */
function removeClaims(text: string): string {
  if (text.length > 2 * maxUnits) return "";
  const words = text.split(/[\s\p{P}\p{S}]+/u);
  return words.filter((word) => !confusableKeys(word).some((key) => claims.has(key))).join(" ");
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
