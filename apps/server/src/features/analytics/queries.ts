import type { Queryable } from "../../db/database.ts";

/** Totals of the index. USD in millionths of a dollar as decimal text, null if any part is unknown. */
export type AnalyticsRow = {
  launches_total: number;
  trades_covered: number;
  volume_usd_total: string | null;
  fees_collaborators_usd: string | null;
  fees_protocol_usd: string | null;
  launches_24h: number;
  trades_24h: number;
  volume_usd_24h: string | null;
  fees_usd_24h: string | null;
  traders_24h: number;
  from_block: number;
  index_block: number;
  index_time: number;
};

/** Reads the totals in one snapshot. The 24 h window is 1,440 minute buckets that end with the index's minute. */
export async function readAnalytics(db: Queryable): Promise<AnalyticsRow> {
  const { rows } = await db.query<AnalyticsRow>({
    name: "analytics",
    text: `
      select coalesce(a.launches, 0) as launches_total, coalesce(a.trades, 0) as trades_covered,
        case when a.t is null then 0 else a.volume_usd end as volume_usd_total,
        case when a.t is null then 0 else a.fees_collaborators_usd end as fees_collaborators_usd,
        case when a.t is null then 0 else a.fees_protocol_usd end as fees_protocol_usd,
        w.*, (
          select coalesce(sum(traders), 0)::bigint from chain.trader_minutes
          where t > c.block_time - c.block_time % 60 - 86400
        ) as traders_24h,
        c.from_block, c.block_number as index_block, c.block_time as index_time
      from chain.checkpoint c
      left join chain.totals a on a.seconds = 0 and a.t = 0
      cross join lateral (
        select coalesce(sum(launches), 0)::bigint as launches_24h, coalesce(sum(trades), 0)::bigint as trades_24h,
          case when bool_or(volume_usd is null) then null else coalesce(sum(volume_usd), 0) end as volume_usd_24h,
          case when bool_or(fees_usd is null) then null else coalesce(sum(fees_usd), 0) end as fees_usd_24h
        from chain.totals where seconds = 60 and t > c.block_time - c.block_time % 60 - 86400
      ) w`,
  });
  return rows[0]!;
}
