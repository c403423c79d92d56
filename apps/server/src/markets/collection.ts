import type { Queryable } from "../db/database.ts";
import type { Bar, BarInterval } from "./readBars.ts";
import { getMedianMove, type KnownPrices } from "./screenBars.ts";

/** A market whose bars are collected. */
export type CollectedMarket = { id: number; pair: string };

/** Stage of a market's bars: 0 is the collection after their close, 1 to 3 are later attempts. */
export type Stage = 0 | 1 | 2 | 3;

/**
 * Stores the listed markets of the exchanges. Untracks markets that are no longer listed. A market that moved to
 * another exchange, or has a new name there, keeps its bars.
 *
 * @returns The markets by exchange.
 */
export async function storeListedMarkets(
  db: Queryable,
  listed: readonly { pair: string; exchange: string; symbol: string }[],
): Promise<Map<string, CollectedMarket[]>> {
  await db.query(
    `with listed as (
       select * from jsonb_to_recordset($1::jsonb) as l (pair text, exchange text, symbol text)
     ),
     gone as (
       update app.markets set tracked = false
       where source = 'exchange' and tracked and pair not in (select pair from listed)
     ),
     exchanges as (
       insert into app.market_exchanges (exchange) select distinct exchange from listed on conflict do nothing
     )
     insert into app.markets as m (pair, source, exchange, external_symbol)
     select pair, 'exchange', exchange, symbol from listed
     on conflict (pair) do update set source = 'exchange', exchange = excluded.exchange,
       external_symbol = excluded.external_symbol, tracked = true
     where (m.source, m.exchange, m.external_symbol, m.tracked)
       is distinct from ('exchange', excluded.exchange, excluded.external_symbol, true)`,
    [JSON.stringify(listed)],
  );
  const { rows } = await db.query<CollectedMarket & { exchange: string }>(
    "select id, pair, exchange from app.markets where source = 'exchange' and tracked order by pair",
  );
  return Map.groupBy(rows, ({ exchange }) => exchange) as Map<string, CollectedMarket[]>;
}

/** Duration of a lease without renewal. */
const leaseMs = 60_000;

/**
 * Acquires or renews the lease of an exchange, unless another process has it or a failure delays the next attempt.
 *
 * @returns Whether the process may request data from the exchange now.
 */
export async function claimExchange(db: Queryable, exchange: string, holder: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.market_exchanges set holder = $2, leased_until = to_timestamp(($3::double precision + ${leaseMs}) / 1000)
     where exchange = $1 and (holder = $2 or leased_until <= to_timestamp($3::double precision / 1000))
       and next_at <= to_timestamp($3::double precision / 1000)`,
    [exchange, holder, nowMs],
  );
  return rowCount === 1;
}

/** Ends the leases of a process that stops. */
export async function releaseExchanges(db: Queryable, holder: string): Promise<void> {
  await db.query("update app.market_exchanges set holder = null, leased_until = '-infinity' where holder = $1", [
    holder,
  ]);
}

/** Delay after the first failure, and maximum delay. */
const firstDelayMs = 5_000;
const maxDelayMs = 900_000;

/** Records a failure of an exchange, for all its markets. Later attempts have increasing delays. */
export async function recordExchangeFailure(
  db: Queryable,
  exchange: string,
  failure: { code: string; leastDelayMs: number; nowMs: number },
): Promise<void> {
  await db.query(
    `with failed as (
       update app.market_exchanges set failures = failures + 1, error = $2,
         next_at = to_timestamp(($4::double precision
           + greatest($3::double precision, least(${maxDelayMs}, ${firstDelayMs} * power(2, least(failures, 20))))) / 1000)
       where exchange = $1
     )
     insert into app.market_progress as p (market_id, interval, stage, through, error)
     select m.id, 3600, 0, 0, $2 from app.markets m where m.exchange = $1 and m.tracked
     on conflict (market_id, interval, stage) do update set error = excluded.error`,
    [exchange, failure.code, failure.leastDelayMs, failure.nowMs],
  );
}

/** Records that an exchange answered. */
export async function recordExchangeSuccess(db: Queryable, exchange: string): Promise<void> {
  await db.query(`update app.market_exchanges set failures = 0, error = null where exchange = $1 and failures > 0`, [
    exchange,
  ]);
}

/** Returns the time up to which a stage of a market is complete, in Unix seconds; null before the first attempt. */
export async function getProgress(
  db: Queryable,
  marketId: number,
  interval: BarInterval,
  stage: Stage,
): Promise<number | null> {
  const { rows } = await db.query<{ through: number }>({
    name: "market-progress",
    text: "select through from app.market_progress where market_id = $1 and interval = $2 and stage = $3 and through > 0",
    values: [marketId, interval, stage],
  });
  return rows[0]?.through ?? null;
}

/** Records the time up to which a stage of a market is complete, or its failure. `through` 0 keeps the stored time. */
export async function setProgress(
  db: Queryable,
  marketId: number,
  interval: BarInterval,
  stage: Stage,
  progress: { through: number; error: string | null },
): Promise<void> {
  await db.query({
    name: "market-progress-set",
    text: `
      insert into app.market_progress as p (market_id, interval, stage, through, error) values ($1, $2, $3, $4, $5)
      on conflict (market_id, interval, stage) do update
        set through = greatest(p.through, excluded.through), error = excluded.error`,
    values: [marketId, interval, stage, progress.through, progress.error],
  });
}

/** Number of hours for the median move. */
const usualHours = 168;

/** Reads the state of a market's prices before a time. */
export async function readKnownPrices(
  db: Queryable,
  marketId: number,
  interval: BarInterval,
  time: number,
): Promise<KnownPrices> {
  const { rows } = await db.query<Pick<Bar, "time" | "close"> & { interval: number }>({
    name: "market-known-prices",
    text: `
      (select interval, time, close from app.market_bars
       where market_id = $1 and interval = 3600 and time < $3 order by time desc limit ${usualHours})
      union all
      (select interval, time, close from app.market_bars
       where market_id = $1 and interval = 60 and $2 = 60 and time < $3 order by time desc limit 1)`,
    values: [marketId, interval, time],
  });
  const ofInterval = rows.filter((row) => row.interval === interval);
  const hours = rows.filter((row) => row.interval === 3600).sort((a, b) => a.time - b.time);
  const last = ofInterval.reduce<(typeof rows)[0] | null>((a, b) => (a === null || b.time > a.time ? b : a), null);
  return { lastClose: last?.close ?? null, medianMove: getMedianMove(hours) };
}

/** Deletes minute bars before a time. @returns Their number. */
export async function deleteOldMinutes(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from app.market_bars where (market_id, interval, time) in (
       select o.market_id, o.interval, o.time from app.markets m cross join lateral (
         select b.market_id, b.interval, b.time from app.market_bars b
         where b.market_id = m.id and b.interval = 60 and b.time < $1 order by b.time limit $2
       ) o limit $2)`,
    [before, limit],
  );
  return rowCount ?? 0;
}
