import type { Deps } from "../../../deps.ts";
import { createRoute, type Route } from "../../../route.ts";
import { requireIndexed } from "../pageRoutes.ts";
import { findFacts } from "./factQueries.ts";
import { toTokenFacts } from "./toTokenFacts.ts";

/** Creates the route of a token's facts. */
export function factRoutes(deps: Deps): Route[] {
  return [
    createRoute("getTokenFacts", {
      cache: "public-10s",
      handle: async ({ params }) => {
        const address = params.address.toLowerCase();
        const key = JSON.stringify(["facts", address]);
        // The creator's earlier launches are other tokens.
        return await deps.readModel.getResponse(key, ["tokens", "eth_usd", "minute"], async (db, { ethUsd }) =>
          toTokenFacts(requireIndexed(await findFacts(db, address)), ethUsd?.price ?? null),
        );
      },
    }),
  ];
}
