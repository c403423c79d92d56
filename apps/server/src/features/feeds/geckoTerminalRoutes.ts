import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createPairFeed } from "./pairFeed.ts";

/** The routes that GeckoTerminal reads: as those of DEX Screener, with the decimals of assets. */
export function geckoTerminalRoutes(deps: Deps): Route[] {
  const feed = createPairFeed(deps);
  return [
    createRoute("getGeckoTerminalBlock", { cache: "public-10s", handle: async () => await feed.latestBlock() }),
    createRoute("getGeckoTerminalAsset", {
      cache: "public-10s",
      handle: async ({ query }) => await feed.asset(query.id, "geckoterminal", (asset) => ({ asset })),
    }),
    createRoute("getGeckoTerminalPair", {
      cache: "public-10s",
      handle: async ({ query }) => await feed.pair(query.id),
    }),
    createRoute("getGeckoTerminalEvents", {
      cache: "public-10s",
      handle: async ({ query }) => await feed.events(query),
    }),
  ];
}
