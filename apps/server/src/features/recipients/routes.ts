import { SlipwayError } from "@slipway/protocol/errors";
import { findRecipient } from "../../accounts/payoutWallet.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

/** Creates the route that finds the payout wallet of a handle. */
export function recipientsRoutes(deps: Deps): Route[] {
  return [
    createRoute("findRecipient", {
      handle: async ({ query }) => {
        const found = await findRecipient(deps.db.api, query.provider, query.handle.replace(/^@/, ""));
        if (found === null) throw new SlipwayError("recipient_not_found");
        return found;
      },
    }),
  ];
}
