import { Readable } from "node:stream";
import { accountExport } from "@slipway/protocol/accountExport";
import { accountEvents, ledgerQuery, removed } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { listAccountEvents } from "../../accounts/accountEvents.ts";
import { deleteAccount } from "../../accounts/deleteAccount.ts";
import { exportAccount } from "../../accounts/exportAccount.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";

/** The account as data of its owner: events, export, deletion. */
export function accountDataRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Account", scope: "account" } as const;
  const db = deps.db.api;

  return [
    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/events",
      name: "listAccountEvents",
      summary: "List what happened to the account, newest first",
      description:
        "Keys, links, payout wallet, sessions, plan and exports. `details` has ids and names of what changed.",
      schemas: { query: ledgerQuery },
      answers: { 200: { description: "The events", schema: accountEvents } },
      errors: ["storage_unavailable"],
      handle: async ({ query, principal }) => {
        const rows = await listAccountEvents(db, principal.accountId, query);
        return {
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/export",
      name: "exportAccount",
      summary: "Export everything that the service stores of the account",
      description:
        "Lists of more than 10,000 entries hold the latest; credits and events continue in their own pages. Keys are " +
        "stored as hashes only, which are left out. The export is an event of the account. It is sent as it is read: one " +
        "that ends early is not valid JSON. Each process sends one export of an account at a time.",
      answers: { 200: { description: "The account", schema: accountExport, headers: ["Content-Disposition"] } },
      errors: ["storage_unavailable"],
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

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account",
      name: "deleteAccount",
      summary: "Delete the account for good",
      description:
        "Drafts and their labels, sessions, keys, wallets, links, plans and events are deleted, and its credentials are " +
        "refused within a second. Bookings of credits stay without a person; credits that are left lapse. What is on the " +
        "chain stays.",
      answers: { 200: { description: "Deleted", schema: removed } },
      recentSignIn: true,
      errors: ["storage_unavailable"],
      handle: async ({ principal, request }) => {
        if (!(await deleteAccount(db, principal.accountId))) throw new SlipwayError("unauthorized");
        request.log.info({ accountId: principal.accountId }, "account deleted");
        return { removed: true };
      },
    }),
  ];
}
