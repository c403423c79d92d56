import { SlipwayError } from "@slipway/protocol/errors";
import { type TokenList, tokenList } from "@slipway/protocol/tokenList";
import { type CachedResponse, serializeJson } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../route.ts";
import { readTokenList, readTokenListVersion } from "./tokenListQueries.ts";

/** The token list that wallets and exchanges read. */
export function tokenListRoutes(deps: Deps): Route[] {
  const db = deps.db.read;
  /** The document of the version that was read last. */
  let last: { version: string; response: CachedResponse } | null = null;

  return [
    publicRoute({
      method: "GET",
      path: "/feeds/tokenlist.json",
      site: true,
      name: "getTokenList",
      tag: "Feeds",
      summary: "Get the launched tokens as a Uniswap Token List",
      description:
        "Wrapped native and the launches that no reorganisation can take back, at most 10,000 tokens: of more launches, those " +
        "of the largest market cap, chosen again once a day. Tokens that the lists' schema refuses are left out, names are " +
        "cut at 60 characters, and blocked tokens are removed.",
      answers: { 200: { description: "The list", schema: tokenList } },
      errors: ["index_unavailable", "storage_unavailable"],
      cache: "public-10s",
      handle: async () => {
        await deps.readModel.getFreshIndex();
        const stored = await readTokenListVersion(db);
        if (stored === null) throw new SlipwayError("index_unavailable", "The token list has not been made yet.");
        const version = JSON.stringify(stored);
        if (last?.version !== version) {
          const list = (await readTokenList(db))!;
          const { major, minor, patch, tokens } = list;
          const document: TokenList = {
            name: "Slipway",
            timestamp: list.listed_at.toISOString(),
            version: { major, minor, patch },
            tokens,
          };
          const { tokens: _, ...about } = list;
          last = { version: JSON.stringify(about), response: serializeJson(tokenList.parse(document)) };
        }
        return last.response;
      },
    }),
  ];
}
