import type { IndexAnalytics } from "@slipway/protocol/indexed";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import type { Deps } from "../../deps.ts";
import { toDollars } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { dailyRoute } from "./dailyRoute.ts";
import { type AnalyticsRow, readAnalytics } from "./queries.ts";

/** The route that returns the totals of the index. */
export function analyticsRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;
  return [
    dailyRoute(deps),
    createRoute("getAnalytics", {
      cache: "public-10s",
      handle: async () =>
        // Depends on the block, because a reorganised block of the same height also changes the totals.
        await reads.getResponse("analytics", ["block", "tokens"], async (db, { index }) =>
          toAnalytics(await readAnalytics(db), index),
        ),
    }),
  ];
}

/** Converts the totals to the wire format, with the covered blocks as numbers and as a sentence. */
export function toAnalytics(row: AnalyticsRow, index: FreshIndex): IndexAnalytics {
  // The index may have passed the head, because the head was read before the totals.
  const headBlock = Math.max(index.headBlock, row.index_block);
  const lagSeconds = Math.max(0, index.headTime - row.index_time);
  const complete = row.index_block >= headBlock;
  const covered = `every launch and trade from block ${row.from_block} to block ${row.index_block}`;
  return {
    launches_total: row.launches_total,
    launches_24h: row.launches_24h,
    trades_covered: row.trades_covered,
    trades_24h: row.trades_24h,
    traders_24h: row.traders_24h,
    volume_usd_24h: toDollars(row.volume_usd_24h),
    volume_usd_total: toDollars(row.volume_usd_total),
    fees_usd_24h: toDollars(row.fees_usd_24h),
    fees_collaborators_usd: toDollars(row.fees_collaborators_usd),
    fees_protocol_usd: toDollars(row.fees_protocol_usd),
    coverage: {
      from_block: row.from_block,
      to_block: row.index_block,
      head_block: headBlock,
      lag_seconds: lagSeconds,
      complete,
      message: complete
        ? `Complete: the totals cover ${covered}, the chain's head.`
        : `The totals cover ${covered}; the chain's head is block ${headBlock}, ${lagSeconds} s later.`,
    },
    as_of: toAsOf({ block: row.index_block, time: row.index_time }, index),
  };
}
