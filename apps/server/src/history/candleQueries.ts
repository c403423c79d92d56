import { getBucketOffset } from "@slipway/protocol/candle";
import type { Queryable } from "../db/database.ts";
import type { CandleRow } from "../pricing/toIndexedCandle.ts";
import { type OldRows, selectOldRows } from "./oldRowQueries.ts";

/** The fields of a page besides its candles. */
export type SeriesState = {
  /** The token's start and every trade have a USD price. */
  usd_known: boolean;
  /** Unix seconds of the last indexed block. */
  head_time: number;
  /** Trades and different accounts by the start of their bucket, for the newest trades of the page; null in later rows. */
  counts: Record<string, { trades: number; traders: number }> | null;
};

/** A candle of a token. */
export type SeriesRow = SeriesState & (CandleRow | { t: null });

/** The candles of a token that start before a time, in Unix seconds. `bucketSeconds`: the length of `counts`. */
export type CandlePage = { address: string; seconds: number; before: number; limit: number; bucketSeconds: number };

/** Trades whose accounts a page counts. */
const maxCountedTrades = 2_000;

/**
 * SQL of `counts`, for the trades of the token `t` before a time. Trades are indexed by block: the rows of minutes have
 * their first blocks.
 */
const selectCounts = (before: string, length: string, offset: string) => `(
  select json_object_agg(x.bucket, json_build_object('trades', x.trades, 'traders', x.traders)) from (
    select n.block_time - (n.block_time - ${offset}) % ${length} as bucket,
      count(*) as trades, count(distinct n.account_id) as traders
    from (
      select block_time, coalesce(account_id, maker_id) as account_id from chain.trades
      where token_id = t.id and block_number < coalesce((
        select m.first_block from chain.totals m
        where m.seconds = 60 and m.t >= ${before} and m.first_block is not null order by m.t limit 1
      ), 9223372036854775807)
      order by block_number desc, log_index desc limit ${maxCountedTrades}
    ) n
    where n.block_time < ${before} group by 1
  ) x
)`;

/**
 * Lists the latest candles of a token, newest first; null when the token is not indexed. Without candles, returns one
 * row with a null `t`.
 */
export async function readCandles(
  db: Queryable,
  options: CandlePage,
): Promise<(SeriesRow & { old: OldRows | null })[] | null> {
  const { address, seconds, before, limit, bucketSeconds } = options;
  const { rows } = await db.query<SeriesRow & { old: OldRows | null }>({
    name: "token-candles",
    text: `
      select t.start_eth_usd is not null and s.volume_usd is not null as usd_known, c.block_time as head_time,
        ${selectOldRows} as old,
        case when row_number() over (order by r.t desc) = 1 then ${selectCounts("$3::bigint", "$5::bigint", "$6::bigint")} end
          as counts,
        r.t, r.o, r.h, r.l, r.c, r.o_usd, r.h_usd, r.l_usd, r.c_usd, r.n, r.buys, r.vq, r.v
      from chain.tokens t
      cross join chain.checkpoint c
      join chain.token_state s on s.token_id = t.id
      left join lateral chain.token_candles(t.id, $2, 0, $3, $4) r on true
      where t.address = $1
      order by r.t desc`,
    values: [address, seconds, before, limit, bucketSeconds, getBucketOffset(bucketSeconds)],
  });
  return rows.length === 0 ? null : rows;
}
