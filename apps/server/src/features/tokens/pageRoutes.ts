import { SlipwayError } from "@slipway/protocol/errors";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { createRoute, type Route } from "../../route.ts";
import { readHolders } from "./holderQueries.ts";

/** @throws SlipwayError `token_not_indexed`. */
export function requireIndexed<T>(found: T | null): T {
  if (found === null) throw new SlipwayError("token_not_indexed");
  return found;
}

function requirePage<T extends object>(found: T | "expired" | null): T {
  const page = requireIndexed(found);
  if (page === "expired") throw new SlipwayError("cursor_expired");
  return page;
}

/** Creates the routes of a token's trades and holders, which have pages. */
export function pageRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;

  return [
    createRoute("listTokenTrades", {
      cache: "public-10s",
      handle: async ({ params: { address: requested }, query }) => {
        const address = requested.toLowerCase();
        const { limit, side = null } = query;
        const before = query.before?.toLowerCase() ?? null;
        const account = query.account?.toLowerCase() ?? null;
        const maker = query.maker?.toLowerCase() ?? null;
        const page = { address, limit, before, account, maker, side };
        const isLatest = before === null && account === null && maker === null && side === null;
        // `before` and the end of a wallet's page can be trades of another token.
        const isOfToken = before === null && account === null && maker === null;
        const tags = [isOfToken ? toTokenTag(address) : ("tokens" as const)];
        return await reads.getResponse(JSON.stringify(["trades", page]), tags, async (db) => {
          const found = isLatest ? await deps.history.latest(db, address, limit) : await deps.history.before(db, page);
          const { trades, nextBefore } = requirePage(found);
          return { items: trades.map(toIndexedTrade), next_before: nextBefore };
        });
      },
    }),

    createRoute("listTokenHolders", {
      cache: "public-10s",
      handle: async ({ params: { address: requested }, query: { limit, cursor = null } }) => {
        const address = requested.toLowerCase();
        const page = { address, limit, cursor };
        return await reads.getResponse(
          JSON.stringify(["holders", page]),
          [toTokenTag(address), "minute"],
          async (db, { index }) => requirePage(await readHolders(db, page, index)),
        );
      },
    }),
  ];
}
