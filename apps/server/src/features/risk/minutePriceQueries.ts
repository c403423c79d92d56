import type { Queryable } from "../../db/database.ts";

/** The price at the close of the last minute of a market. */
export type MinutePrice = {
  market_id: number;
  price: number;
  /** Unix seconds of the minute's close. */
  closed_at: number;
  /** The change since the last close of 24 hours before, as a fraction; null if no close is known for that time. */
  change_24h: number | null;
};

const minute = 60;
const day = 86_400;
/** Maximum age of the close of 24 hours before; a pool's price does not change without a trade. */
const maxGapSeconds = 3_600;

/** $1: market ids. Markets without minutes have no row. */
const minutePricesQuery = `
  select m.id as market_id, l.close as price, (l.time + ${minute})::float8 as closed_at,
    l.close / nullif(e.close, 0) - 1 as change_24h
  from app.markets m
  join lateral (
    select b.time, b.close from app.market_bars b
    where m.token is null and b.market_id = m.id and b.interval = ${minute}
    union all
    select b.time, b.close from chain.read_pool_bars(m.token, ${minute}, 0, 1e12::bigint, 1) b
    order by time desc limit 1
  ) l on true
  left join lateral (
    select b.time, b.close from app.market_bars b
    where m.token is null and b.market_id = m.id and b.interval = ${minute}
      and b.time <= l.time - ${day} and b.time > l.time - ${day + maxGapSeconds}
    union all
    select b.time, b.close from chain.read_pool_bars(m.token, ${minute}, 0, l.time - ${day}, 1) b
    order by time desc limit 1
  ) e on true
  where m.id = any($1::int[])`;

/** Returns the last minute's prices by market. */
export async function readMinutePrices(
  db: Queryable,
  marketIds: readonly number[],
): Promise<ReadonlyMap<number, MinutePrice>> {
  if (marketIds.length === 0) return new Map();
  const { rows } = await db.query<MinutePrice>({
    name: "minute-prices",
    text: minutePricesQuery,
    values: [marketIds],
  });
  // As many digits as the hourly numbers have.
  const round = (change: number | null) => (change === null ? null : Number(change.toPrecision(9)));
  return new Map(rows.map((row) => [row.market_id, { ...row, change_24h: round(row.change_24h) }]));
}
