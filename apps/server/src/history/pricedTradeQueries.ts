import type { Queryable } from "../db/database.ts";
import { type OldRows, selectOldRows } from "./oldRowQueries.ts";
import type { Place } from "./tradePageQueries.ts";

/** A trade with the price that candles follow. */
export type PricedTrade = Place & {
  block_time: number;
  /** The pool's price after the trade, in wrapped native per token. */
  pool_price: number;
  eth_usd: number | null;
  is_buy: boolean;
  /** Base units as decimal text. */
  quote_amount: string;
  /** Number of the account in chain.accounts. */
  account_id: number;
};

/** The start of a token, and its newest trades in a period. */
export type StoredPricedTrades = {
  start_price: number;
  start_eth_usd: number | null;
  /** Unix seconds of the launch, and of the last indexed block. */
  launch_time: number;
  head_time: number;
  /** The token's start and every trade have a USD price. */
  usd_known: boolean;
  /** The first block after the period; null if the period has not ended. */
  end_block: number | null;
  /** Newest first. */
  trades: PricedTrade[];
  /** Whether PostgreSQL lacks trades of the token, and no engine has them. */
  is_removed: boolean;
  old: OldRows | null;
};

/**
 * Reads the newest trades of a token before a time and within some seconds of its launch; null when the token is not
 * indexed.
 */
export async function readPricedTrades(
  db: Queryable,
  query: { address: string; before: number; ageSeconds: number; limit: number },
): Promise<StoredPricedTrades | null> {
  const { rows } = await db.query<StoredPricedTrades>({
    name: "token-priced-trades",
    text: `
      with token as materialized (
        select t.*, ${selectOldRows} as old, least($2::bigint, t.block_time + $3::bigint) as end_time
        from chain.tokens t where t.address = $1
      ),
      -- Trades are indexed by block: the rows of minutes have their first blocks.
      bounds as materialized (
        select (
          select m.first_block from chain.totals m
          where m.seconds = 60 and m.t >= t.end_time and m.first_block is not null order by m.t limit 1
        ) as end_block from token t
      )
      select t.start_price, t.start_eth_usd, t.block_time as launch_time, c.block_time as head_time,
        t.start_eth_usd is not null and s.volume_usd is not null as usd_known, bounds.end_block,
        t.block_number < (select min(from_block) from chain.trade_partitions) and t.old is null as is_removed, t.old,
        coalesce((
          select json_agg(json_build_object('block_number', x.block_number, 'log_index', x.log_index,
            'block_time', x.block_time, 'pool_price', x.pool_price, 'eth_usd', x.eth_usd, 'is_buy', x.is_buy,
            'quote_amount', x.quote_amount::text, 'account_id', coalesce(x.account_id, x.maker_id))
            order by x.block_number desc, x.log_index desc)
          from (
            select * from chain.trades
            where token_id = t.id and block_number < coalesce(bounds.end_block, 9223372036854775807)
              and block_time < t.end_time
            order by block_number desc, log_index desc limit $4
          ) x
        ), '[]') as trades
      from token t
      join chain.token_state s on s.token_id = t.id
      cross join chain.checkpoint c
      cross join bounds`,
    values: [query.address, query.before, query.ageSeconds, query.limit],
  });
  return rows[0] ?? null;
}
