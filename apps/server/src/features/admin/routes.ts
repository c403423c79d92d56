import {
  accountsQuery,
  administeredAccounts,
  bookedCredits,
  creditGrant,
  planGrant,
  startedPlan,
} from "@slipway/protocol/administration";
import { SlipwayError } from "@slipway/protocol/errors";
import { idempotencyKey } from "@slipway/protocol/intent";
import { z } from "zod";
import { listAccounts } from "../../accounts/accounts.ts";
import { bookCredits } from "../../accounts/credits.ts";
import { startPlan } from "../../accounts/plans.ts";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";

const noAccount = () => new SlipwayError("invalid_fields", "There is no such account.", { field: "account_id" });

/** Administration of accounts by a key with the scope `admin`; `npm run accounts` does the same. */
export function adminRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Administration", scope: "admin" } as const;
  const db = deps.db.api;

  return [
    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/admin/accounts",
      name: "listAccounts",
      summary: "List all accounts with plan, credits and keys, newest first",
      description: "`keys` counts those that may be used. `next_before` requests the next page; null at the end.",
      schemas: { query: accountsQuery },
      answers: { 200: { description: "The accounts", schema: administeredAccounts } },
      errors: ["storage_unavailable"],
      handle: async ({ query }) => {
        const rows = await listAccounts(db, query);
        return {
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/admin/plans",
      name: "startPlan",
      summary: "Start a plan for an account",
      description: "It starts now. Without `days` it has no end.",
      schemas: { body: planGrant },
      answers: { 200: { description: "It runs from now on", schema: startedPlan } },
      errors: ["storage_unavailable"],
      handle: async ({ body: { account_id, plan, days } }) => {
        return await withTransaction(db, async (client) => {
          const started = await startPlan(client, account_id, plan, days);
          if (started === null) throw noAccount();
          return { account_id, plan, active_until: started.activeUntil?.toISOString() ?? null };
        });
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/admin/credits",
      name: "grantCredits",
      summary: "Add credits to an account, or take them",
      description:
        "Booked once for each Idempotency-Key and account: the same again answers with the same booking, another amount " +
        "or reason 409. The balance never falls below zero.",
      schemas: { headers: z.object({ "idempotency-key": idempotencyKey }), body: creditGrant },
      answers: { 200: { description: "The booking", schema: bookedCredits } },
      errors: ["insufficient_credits", "idempotency_key_reused", "storage_unavailable"],
      handle: async ({ headers, body: { account_id, amount, reason = "grant" } }) => {
        const requestId = headers["idempotency-key"];
        return await withTransaction(db, async (client) => {
          const grant = { accountId: account_id, kind: "grant", amount, reason, requestId } as const;
          const booking = await bookCredits(client, grant);
          if (booking.outcome === "no_account") throw noAccount();
          if (booking.outcome === "insufficient") throw new SlipwayError("insufficient_credits");
          const { row } = booking;
          if (row.amount !== amount || row.reason !== reason) throw new SlipwayError("idempotency_key_reused");
          // Serialized within the transaction: without an answer there is no booking.
          const answer = bookedCredits.parse({ account_id, amount, balance: row.balance_after ?? 0 });
          return new CachedResponse(Buffer.from(JSON.stringify(answer)), null);
        });
      },
    }),
  ];
}
