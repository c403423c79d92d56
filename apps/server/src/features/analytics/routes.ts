import { indexAnalytics } from "@slipway/protocol/indexed";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../http/route.ts";
import { readModelOf } from "../../readModel/readModelOf.ts";
import { readAnalytics } from "./queries.ts";
import { toAnalytics } from "./toAnalytics.ts";

/** Totals over everything indexed. */
export function analyticsRoutes(deps: Deps): Route[] {
  const reads = readModelOf(deps);
  return [
    publicRoute({
      method: "GET",
      path: "/analytics",
      name: "getAnalytics",
      tag: "Tokens",
      summary: "Get totals of launches, trades, volume and fees",
      description:
        "`coverage` says which blocks the totals cover, in numbers and in a sentence. Fees are what the locked " +
        "positions earned, split by each launch's own policy, whether collected yet or not.",
      answers: { 200: { description: "The totals", schema: indexAnalytics } },
      errors: ["index_unavailable", "storage_unavailable"],
      cache: "public-10s",
      handle: async () =>
        // Another block of the same height changes the totals too.
        await reads.answer("analytics", ["block", "tokens"], async (db, { index }) =>
          toAnalytics(await readAnalytics(db), index),
        ),
    }),
  ];
}
