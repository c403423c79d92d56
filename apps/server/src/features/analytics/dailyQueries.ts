import type { Queryable } from "../../db/database.ts";

/** Sums of a day: base units of wrapped native, and millionths of a dollar, null if a part is unknown. */
export type DayRow = {
  /** Unix seconds of the day's start. */
  t: number;
  launches: number;
  trades: number;
  traders: number;
  volume_quote: string;
  volume_usd: string | null;
  fees_usd: string | null;
  fees_protocol_usd: string | null;
  fees_collaborators_usd: string | null;
};

export type DailyRow = {
  index_block: number;
  index_time: number;
  /** False for an index of an earlier version, which lacks days. */
  is_complete: boolean;
  /** The day of the first launch or trade; null without one. */
  first_day: number | null;
  /** The days of the range that have a launch or a trade, oldest first. */
  days: DayRow[];
};

/** Reads the sums of `limit` days before a time, in one statement. @param before - Unix seconds. */
export async function readDays(db: Queryable, { before, limit }: { before: number; limit: number }): Promise<DailyRow> {
  const { rows } = await db.query<DailyRow>({
    name: "analytics-days",
    text: `
      with bounds as (
        select block_number, block_time, rules is not null as is_complete,
          least($1::bigint, block_time - block_time % 86400 + 86400) as end_time from chain.checkpoint
      )
      select b.block_number as index_block, b.block_time as index_time, b.is_complete,
        (select t from chain.totals where seconds = 86400 order by t limit 1) as first_day,
        coalesce((
          select json_agg(json_build_object('t', m.t, 'launches', m.launches, 'trades', m.trades,
            'traders', coalesce(m.traders, 0), 'volume_quote', m.volume_quote::text, 'volume_usd', m.volume_usd::text,
            'fees_usd', m.fees_usd::text, 'fees_protocol_usd', m.fees_protocol_usd::text,
            'fees_collaborators_usd', m.fees_collaborators_usd::text) order by m.t)
          from chain.totals m
          where m.seconds = 86400 and m.t < b.end_time and m.t >= b.end_time - 86400 * $2::bigint
        ), '[]') as days
      from bounds b`,
    values: [before, limit],
  });
  return rows[0]!;
}
