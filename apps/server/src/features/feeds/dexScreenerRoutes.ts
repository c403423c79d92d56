import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createPairFeed } from "./pairFeed.ts";

/** The routes that DEX Screener reads. Source: DEX Screener Adapter Specs 1.1 (docs/feeds.md). */
export function dexScreenerRoutes(deps: Deps): Route[] {
  const feed = createPairFeed(deps);
  return [
    createRoute("getDexScreenerBlock", { cache: "public-10s", handle: async () => await feed.latestBlock() }),
    createRoute("getDexScreenerAsset", {
      cache: "public-10s",
      // Its reader stops at a field that it does not expect, such as `decimals`.
      handle: async ({ query }) =>
        await feed.asset(query.id, "dexscreener", ({ decimals: _, ...asset }) => ({ asset })),
    }),
    createRoute("getDexScreenerPair", { cache: "public-10s", handle: async ({ query }) => await feed.pair(query.id) }),
    createRoute("getDexScreenerEvents", { cache: "public-10s", handle: async ({ query }) => await feed.events(query) }),
  ];
}
