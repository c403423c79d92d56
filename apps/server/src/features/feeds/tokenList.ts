import { findOfficialAsset, type OfficialAssets } from "@slipway/protocol/officialAssets";
import { type ListedToken, maxListedTokens, type TokenListVersion } from "@slipway/protocol/tokenList";
import { toChecksumAddress } from "../../pricing/format.ts";
import type { ListableToken } from "./tokenListQueries.ts";

/** Maximum numbers of code points of a name and of a symbol. Source: https://uniswap.org/tokenlist.schema.json */
const maxName = 60;
const maxSymbol = 20;

/** Creates the entry of the wrapped native, the first entry, so that the list is never empty. */
export function createNativeEntry(chainId: number, address: string): ListedToken {
  return {
    chainId,
    address: toChecksumAddress(address.toLowerCase()),
    decimals: 18,
    name: "Wrapped Ether",
    symbol: "WETH",
  };
}

/**
 * Converts a token to an entry of a list; truncates a name of more than 60 characters.
 *
 * @param mediaUrl - The result of `getMediaUrl`. The logo needs it and a processed picture: wallets fetch logos, so the
 *   host of a launch's own picture URL would see the users of the list.
 * @returns Null for a token that the schema of token lists refuses.
 */
export function toListedToken(token: ListableToken, chainId: number, mediaUrl: string | null): ListedToken | null {
  const name = [...token.name].slice(0, maxName).join("");
  if (name !== "" && !/^[ \S]+$/u.test(name)) return null;
  if (token.symbol !== "" && (!/^\S+$/u.test(token.symbol) || [...token.symbol].length > maxSymbol)) return null;
  if (!Number.isInteger(token.decimals) || token.decimals < 0 || token.decimals > 255) return null;
  return {
    chainId,
    address: toChecksumAddress(token.address),
    decimals: token.decimals,
    name,
    symbol: token.symbol,
    ...(mediaUrl !== null && token.sha256 !== null && { logoURI: `${mediaUrl}/${token.sha256}/256.webp` }),
  };
}

/**
 * Builds the entries of a list and counts the tokens that the list leaves out: tokens that the schema refuses, and
 * tokens that can be confused with an official asset, which wallets and exchanges show beside the official asset.
 */
export function createEntries(
  tokens: readonly ListableToken[],
  context: { chainId: number; wrappedNative: string; mediaUrl: string | null; official: OfficialAssets },
): { entries: ListedToken[]; leftOut: number } {
  const launches = tokens.map((token) =>
    findOfficialAsset(context.official, [token.symbol, token.name]) === null
      ? toListedToken(token, context.chainId, context.mediaUrl)
      : null,
  );
  const fitting = launches.filter((token) => token !== null);
  const entries = [createNativeEntry(context.chainId, context.wrappedNative), ...fitting].slice(0, maxListedTokens);
  return { entries, leftOut: launches.length - fitting.length };
}

/**
 * Returns the version of a list that follows another list. Source: Token Lists, "Semantic versioning".
 *
 * @returns Null if both lists have the same tokens with the same contents in the same order.
 */
export function getNextVersion(
  { major, minor, patch }: TokenListVersion,
  before: readonly ListedToken[],
  after: readonly ListedToken[],
): TokenListVersion | null {
  const toKey = ({ chainId, address }: ListedToken) => `${chainId}:${address}`;
  const [earlier, later] = [new Set(before.map(toKey)), new Set(after.map(toKey))];
  if ([...earlier].some((key) => !later.has(key))) return { major: major + 1, minor: 0, patch: 0 };
  if ([...later].some((key) => !earlier.has(key))) return { major, minor: minor + 1, patch: 0 };
  return JSON.stringify(before) === JSON.stringify(after) ? null : { major, minor, patch: patch + 1 };
}
