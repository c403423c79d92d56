import { bookedCredits } from "@slipway/protocol/administration";
import { SlipwayError } from "@slipway/protocol/errors";
import { listAccounts } from "../../accounts/accounts.ts";
import { bookCredits } from "../../accounts/credits.ts";
import { startPlan } from "../../accounts/plans.ts";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

const noAccount = () => new SlipwayError("invalid_fields", "Account not found.", { field: "account_id" });

/** Routes to administer accounts with a key of the scope `admin`; `npm run accounts` offers the same actions. */
export function adminRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  return [
    createRoute("listAccounts", {
      handle: async ({ query }) => {
        const rows = await listAccounts(db, query);
        return {
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),

    createRoute("startPlan", {
      handle: async ({ body: { account_id, plan, days } }) => {
        return await withTransaction(db, async (client) => {
          const started = await startPlan(client, account_id, plan, days);
          if (started === null) throw noAccount();
          return { account_id, plan, active_until: started.activeUntil?.toISOString() ?? null };
        });
      },
    }),

    createRoute("grantCredits", {
      handle: async ({ headers, body: { account_id, amount, reason = "grant" } }) => {
        const requestId = headers["idempotency-key"];
        return await withTransaction(db, async (client) => {
          const grant = { accountId: account_id, kind: "grant", amount, reason, requestId } as const;
          const booking = await bookCredits(client, grant);
          if (booking.outcome === "no_account") throw noAccount();
          if (booking.outcome === "insufficient") throw new SlipwayError("insufficient_credits");
          const { row } = booking;
          if (row.amount !== amount || row.reason !== reason) throw new SlipwayError("idempotency_key_reused");
          // Serializes the response within the transaction, so that a failure rolls back the booking.
          const answer = bookedCredits.parse({ account_id, amount, balance: row.balance_after ?? 0 });
          return new CachedResponse(Buffer.from(JSON.stringify(answer)), null);
        });
      },
    }),
  ];
}
