import type { Queryable } from "../db/database.ts";
import type { CandleRow } from "../pricing/toIndexedCandle.ts";
import { type OldRows, selectOldRows } from "./oldRowQueries.ts";

/** A candle of a token; `usd_known`: the token's start and every trade have a USD price. */
export type SeriesRow = { usd_known: boolean } & (CandleRow | { t: null });

/** The candles of a token that start before a time, in Unix seconds. */
export type CandlePage = { address: string; seconds: number; before: number; limit: number };

/**
 * Lists the latest candles of a token, newest first; null when the token is not indexed. Without candles, returns one
 * row with a null `t`.
 */
export async function readCandles(
  db: Queryable,
  options: CandlePage,
): Promise<(SeriesRow & { old: OldRows | null })[] | null> {
  const { rows } = await db.query<SeriesRow & { old: OldRows | null }>({
    name: "token-candles",
    text: `
      select t.start_eth_usd is not null and s.volume_usd is not null as usd_known, ${selectOldRows} as old,
        r.t, r.o, r.h, r.l, r.c, r.o_usd, r.h_usd, r.l_usd, r.c_usd, r.n, r.vq, r.v
      from chain.tokens t
      join chain.token_state s on s.token_id = t.id
      left join lateral chain.token_candles(t.id, $2, 0, $3, $4) r on true
      where t.address = $1
      order by r.t desc`,
    values: [options.address, options.seconds, options.before, options.limit],
  });
  return rows.length === 0 ? null : rows;
}
