import { Readable } from "node:stream";
import { SlipwayError } from "@slipway/protocol/errors";
import { listAccountEvents } from "../../accounts/accountEvents.ts";
import { deleteAccount } from "../../accounts/deleteAccount.ts";
import { exportAccount } from "../../accounts/exportAccount.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

/** Routes for the data of the caller's account: events, export, deletion. */
export function accountDataRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  return [
    createRoute("listAccountEvents", {
      handle: async ({ query, principal }) => {
        const rows = await listAccountEvents(db, principal.accountId, query);
        return {
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),

    createRoute("exportAccount", {
      handle: async ({ principal, request, reply }) => {
        reply.type("application/json; charset=utf-8");
        if (request.method === "HEAD") return "";
        const release = deps.streamCapacity.exports.acquire(principal.accountId);
        try {
          const exported = await exportAccount(db, principal.accountId);
          if (exported === null) throw new SlipwayError("unauthorized");
          reply.header("content-disposition", 'attachment; filename="slipway-account.json"');
          if (reply.raw.closed) release();
          else reply.raw.once("close", release);
          return Readable.from(exported, { objectMode: false });
        } catch (error) {
          release();
          throw error;
        }
      },
    }),

    createRoute("deleteAccount", {
      handle: async ({ principal, request }) => {
        if (!(await deleteAccount(db, principal.accountId))) throw new SlipwayError("unauthorized");
        request.log.info({ accountId: principal.accountId }, "account deleted");
        return { removed: true };
      },
    }),
  ];
}
