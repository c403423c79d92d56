import type { Queryable } from "../../db/database.ts";

/** Figures of a market that `listMarkets` does not return. */
export type FigureRow = {
  id: number;
  bars_1h: number;
  /** Number of stored hours in the 30 days that end with the last stored hour. */
  recent: number;
  price: number | null;
  /** The close of the hour 24 hours before the last bar; for a pool, the last close at least 24 hours old. */
  earlier: number | null;
};

const day = 86_400;
/** Later than any bar, and more bars than any market has. */
const maxTime = "1e12::bigint";
const maxBars = "1e9::bigint";
export const gapDays = 30;

/** Reads the figures of markets. A pool keeps its price until the next trade. */
export async function listFigures(db: Queryable, ids: readonly number[]): Promise<FigureRow[]> {
  const { rows } = await db.query<FigureRow>({
    name: "market-figures",
    text: `
      select m.id, f.bars_1h, f.recent, f.price, f.earlier
      from app.markets m
      cross join lateral (
        select count(*) as bars_1h, count(*) filter (where b.time > l.time - ${gapDays * day}) as recent,
          (select x.close from app.market_bars x
           where x.market_id = m.id and x.interval in (60, 3600) and x.time >= l.time
           order by x.time + x.interval desc limit 1) as price,
          (select x.close from app.market_bars x
           where x.market_id = m.id and x.interval = 3600 and x.time = l.time - ${day}) as earlier
        from (select time from app.market_bars
              where market_id = m.id and interval = 3600 order by time desc limit 1) l
        join app.market_bars b on b.market_id = m.id and b.interval = 3600
        group by l.time
      ) f
      where m.id = any($1) and m.token is null
      union all
      select m.id, f.bars_1h, 0, f.price, f.earlier
      from app.markets m
      cross join lateral (
        select count(*) as bars_1h,
          (select x.close from (
             select 60 as interval, x.* from chain.read_pool_bars(m.token, 60, max(b.time), ${maxTime}, 1) x
             union all
             select 3600, x.* from chain.read_pool_bars(m.token, 3600, max(b.time), ${maxTime}, 1) x
           ) x order by x.time + x.interval desc limit 1) as price,
          (select x.close from chain.read_pool_bars(
             m.token, 3600, 0, (select block_time from chain.checkpoint) - 3600 - ${day}, 1) x) as earlier
        from chain.read_pool_bars(m.token, 3600, 0, ${maxTime}, ${maxBars}) b
      ) f
      where m.id = any($1) and m.token is not null`,
    values: [ids],
  });
  return rows;
}
