import { SlipwayError } from "@slipway/protocol/errors";
import { indexedTrades, tradesQuery } from "@slipway/protocol/indexed";
import { holdersQuery, tokenHolders } from "@slipway/protocol/people";
import { evmAddress } from "@slipway/protocol/primitives";
import { z } from "zod";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { toIndexedTrade } from "../../pricing/toIndexedTrade.ts";
import { publicRoute, type Route } from "../../route.ts";
import { readHolders } from "./holderQueries.ts";
import { listTrades } from "./queries.ts";
import { listTradePage } from "./tradePageQueries.ts";

/** The path of what belongs to one token. */
export const tokenParams = z.object({ address: evmAddress.describe("The address of a launched token.") });

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

/** Routes of a token's trades and holders, which have pages. */
export function pageRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;
  const common = { method: "GET", tag: "Tokens", cache: "public-10s" } as const;
  const unavailable = ["index_unavailable", "storage_unavailable"] as const;

  return [
    publicRoute({
      ...common,
      path: "/tokens/:address/trades",
      name: "listTokenTrades",
      summary: "List a token's trades, newest first",
      description:
        "The latest `limit` trades. USD values use the ETH/USD price of the trade's time; null where it is unknown. With " +
        "`before`, `maker` or `side` the answer has `next_before`; a page that few trades match can be shorter than `limit` " +
        "and have one.",
      schemas: { params: tokenParams, query: tradesQuery },
      answers: { 200: { description: "The trades in descending chain order", schema: indexedTrades } },
      errors: ["token_not_indexed", "cursor_expired", ...unavailable],
      handle: async ({ params: { address: requested }, query }) => {
        const address = requested.toLowerCase();
        const { limit, side = null } = query;
        const [before, maker] = [query.before?.toLowerCase() ?? null, query.maker?.toLowerCase() ?? null];
        if (before !== null || maker !== null || side !== null) {
          const page = { address, limit, before, maker, side };
          // `before`, and where the page of a maker ends, can be a trade of another token.
          const tags = [before === null && maker === null ? toTokenTag(address) : ("tokens" as const)];
          return await reads.getResponse(JSON.stringify(["trades", page]), tags, async (db) => {
            const { trades, nextBefore } = requirePage(await listTradePage(db, page));
            return { items: trades.map(toIndexedTrade), next_before: nextBefore };
          });
        }
        return await reads.getResponse(
          JSON.stringify(["trades", address, limit]),
          [toTokenTag(address)],
          async (db) => ({
            items: requireIndexed(await listTrades(db, address, limit)).map(toIndexedTrade),
          }),
        );
      },
    }),

    publicRoute({
      ...common,
      path: "/tokens/:address/holders",
      name: "listTokenHolders",
      summary: "List a token's balances, largest first",
      description:
        "Every account with a balance, also pool, locker, splitter and burn addresses, which have a label. `next_cursor` " +
        "asks for the next page.",
      schemas: { params: tokenParams, query: holdersQuery },
      answers: { 200: { description: "The balances", schema: tokenHolders } },
      errors: ["token_not_indexed", "cursor_expired", ...unavailable],
      handle: async ({ params: { address: requested }, query: { limit, cursor = null } }) => {
        const address = requested.toLowerCase();
        const page = { address, limit, cursor };
        return await reads.getResponse(JSON.stringify(["holders", page]), [toTokenTag(address)], async (db) =>
          requirePage(await readHolders(db, page)),
        );
      },
    }),
  ];
}
