import type { FeedParser } from "./feedParser.ts";
import { createExternalListing, readDocument, readObject, toText } from "./rawFields.ts";

/** A Uniswap Token List. Source: https://github.com/Uniswap/token-lists (schema of tokens). */
export const tokenList: FeedParser = {
  readPage: (document) => {
    const list = readDocument(document);
    if (list === null || !Array.isArray(list.tokens)) return null;
    return { entries: list.tokens, next: null, name: toText(list.name, 80), licence: null };
  },

  readEntry: (raw, source) => {
    const entry = readObject(raw);
    const { chainId, address, decimals } = entry ?? {};
    if (!Number.isSafeInteger(chainId) || (chainId as number) < 1) return null;
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) return null;
    const isDecimals = Number.isInteger(decimals) && (decimals as number) >= 0 && (decimals as number) <= 255;
    const token = {
      chain_id: chainId as number,
      address: address.toLowerCase(),
      symbol: toText(entry!.symbol, 20),
      decimals: isDecimals ? (decimals as number) : null,
    };
    return createExternalListing(
      {
        id: `${token.chain_id}:${token.address}`,
        kind: "token",
        name: entry!.name,
        category: "token",
        image: entry!.logoURI,
        tags: entry!.tags,
        token,
      },
      source,
    );
  },
};
