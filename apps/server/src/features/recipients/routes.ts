import { SlipwayError } from "@slipway/protocol/errors";
import { recipient, recipientQuery } from "@slipway/protocol/people";
import { findRecipient } from "../../accounts/payoutWallet.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";

/** Whom a handle names. */
export function recipientsRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "GET",
      path: "/recipients",
      name: "findRecipient",
      tag: "Fees",
      summary: "Find the wallet that the owner of a handle has chosen",
      description:
        "The account that has proven the handle must have chosen a payout wallet (`PATCH /api/account`). Everything else " +
        "is 404: an unproven handle, and one whose account publishes no wallet. A handle can change hands: ask " +
        "at the time of use.",
      schemas: { query: recipientQuery },
      answers: { 200: { description: "The wallet", schema: recipient } },
      errors: ["recipient_not_found", "storage_unavailable"],
      handle: async ({ query }) => {
        const found = await findRecipient(deps.db.api, query.provider, query.handle.replace(/^@/, ""));
        if (found === null) throw new SlipwayError("recipient_not_found");
        return found;
      },
    }),
  ];
}
