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

/** A pool's bars of older days are derived from its trades: a short range reads few of them. */
const week = 7 * day;

/**
 * $1: market ids, $2: the current time. Markets without minutes in the last day have no row: their last hour is newer. Each
 * branch ends at its first row: an exchange has 90 days of minutes, and a sort of the branches would read them all.
 */
const minutePricesQuery = `
  select m.id as market_id, l.close as price, (l.time + ${minute})::float8 as closed_at,
    l.close / nullif(e.close, 0) - 1 as change_24h
  from app.markets m
  join lateral (
    (select b.time, b.close from app.market_bars b
     where m.token is null and b.market_id = m.id and b.interval = ${minute}
       and b.time <= $2::bigint - ${minute} and b.time >= $2::bigint - ${day}
     order by b.time desc limit 1)
    union all
    select b.time, b.close from chain.read_pool_bars(m.token, ${minute}, $2::bigint - ${day}, $2::bigint - ${minute}, 1) b
    limit 1
  ) l on true
  left join lateral (
    (select b.time, b.close from app.market_bars b
     where m.token is null and b.market_id = m.id and b.interval = ${minute}
       and b.time <= l.time - ${day} and b.time > l.time - ${day + maxGapSeconds}
     order by b.time desc limit 1)
    union all
    select b.time, b.close from chain.read_pool_bars(m.token, ${minute}, l.time - ${week}, l.time - ${day}, 1) b
    union all
    select b.time, b.close from chain.read_pool_bars(m.token, ${minute}, 0, l.time - ${day}, 1) b
    limit 1
  ) e on true
  where m.id = any($1::int[])`;

/**
 * Returns the last minute's prices by market.
 *
 * @param now - Unix seconds: no price is from the future, also if another clock stored it.
 */
export async function readMinutePrices(
  db: Queryable,
  marketIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, MinutePrice>> {
  if (marketIds.length === 0) return new Map();
  const { rows } = await db.query<MinutePrice>({
    name: "minute-prices",
    text: minutePricesQuery,
    values: [marketIds, now],
  });
  // As many digits as the hourly numbers have.
  const round = (change: number | null) => (change === null ? null : Number(change.toPrecision(9)));
  return new Map(rows.map((row) => [row.market_id, { ...row, change_24h: round(row.change_24h) }]));
}
