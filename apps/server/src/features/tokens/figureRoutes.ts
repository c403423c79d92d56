import { SlipwayError } from "@slipway/protocol/errors";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { type ChangePlace, readLiquidityChanges } from "./liquidityQueries.ts";
import { requireIndexed } from "./pageRoutes.ts";
import { toLiquidityChanges } from "./toLiquidityChanges.ts";
import { toTokenDepth } from "./toTokenDepth.ts";
import { toRealizedTraders, toUnrealizedTraders } from "./toTokenTraders.ts";
import { readHoldingTraders, readPoolState, readRealizedTraders } from "./traderQueries.ts";

/** The accounts whose unrealized profits are compared, by the largest amounts. */
const compared = 1_000;

/**
 * Creates the routes of figures that follow from a token's pool: profits of its traders, changes of its liquidity, and the
 * depth of the pool.
 */
export function figureRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;
  return [
    createRoute("listTokenTraders", {
      cache: "public-10s",
      handle: async ({ params, query: { sort, limit, cursor } }) => {
        const address = params.address.toLowerCase();
        if (sort === "unrealized" && cursor !== undefined) {
          throw new SlipwayError("invalid_query", "cursor must not be sent with the order unrealized.", {
            field: "cursor",
          });
        }
        const [amount, account] = cursor?.split("~") ?? [];
        const from = amount === undefined || account === undefined ? null : { amount, account };
        const key = JSON.stringify(["traders", address, sort, limit, from]);
        return await reads.getResponse(
          key,
          [toTokenTag(address), "eth_usd", "minute"],
          async (db, { ethUsd, index }) => {
            const context = { ethUsd: ethUsd?.price ?? null, index };
            if (sort === "unrealized") {
              const row = requireIndexed(await readHoldingTraders(db, { address, limit: compared }));
              return toUnrealizedTraders(row, { limit, compared }, context);
            }
            const row = requireIndexed(await readRealizedTraders(db, { address, limit: limit + 1, cursor: from }));
            if (!row.is_cursor_known) throw new SlipwayError("cursor_expired");
            return toRealizedTraders(row, limit, context);
          },
        );
      },
    }),

    createRoute("listLiquidityChanges", {
      cache: "public-10s",
      handle: async ({ params, query: { limit, cursor } }) => {
        const address = params.address.toLowerCase();
        const before = toChangePlace(cursor);
        const key = JSON.stringify(["liquidity changes", address, limit, before]);
        return await reads.getResponse(key, [toTokenTag(address), "minute"], async (db, { index }) => {
          const row = requireIndexed(await readLiquidityChanges(db, { address, limit: limit + 1, before }));
          return toLiquidityChanges(row, limit, index);
        });
      },
    }),

    createRoute("getTokenDepth", {
      cache: "public-10s",
      handle: async ({ params }) => {
        const address = params.address.toLowerCase();
        const key = JSON.stringify(["depth", address]);
        return await reads.getResponse(key, [toTokenTag(address), "eth_usd", "minute"], async (db, { ethUsd, index }) =>
          toTokenDepth(requireIndexed(await readPoolState(db, address)), { ethUsd: ethUsd?.price ?? null, index }),
        );
      },
    }),
  ];
}

function toChangePlace(cursor: string | undefined): ChangePlace | null {
  if (cursor === undefined) return null;
  const [block, logIndex] = cursor.split(":").map(Number);
  return { block: block!, logIndex: logIndex! };
}
