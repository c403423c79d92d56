import { SlipwayError } from "@slipway/protocol/errors";
import { type TokenList, tokenList } from "@slipway/protocol/tokenList";
import { type CachedResponse, serializeJson } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { readTokenList, readTokenListVersion } from "./tokenListQueries.ts";

/** The route of the token list, which wallets and exchanges read. */
export function tokenListRoutes(deps: Deps): Route[] {
  const db = deps.db.read;
  /** The response for the version that was last read. */
  let last: { version: string; response: CachedResponse } | null = null;

  return [
    createRoute("getTokenList", {
      cache: "public-10s",
      handle: async () => {
        await deps.readModel.getFreshIndex();
        const stored = await readTokenListVersion(db);
        if (stored === null) throw new SlipwayError("index_unavailable", "The token list is not ready yet.");
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
          const { tokens: _, ...listed } = list;
          last = { version: JSON.stringify(listed), response: serializeJson(tokenList.parse(document)) };
        }
        return last.response;
      },
    }),
  ];
}
