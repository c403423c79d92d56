import type { Queryable } from "../db/database.ts";
import { judgeMarket, type Market } from "./market.ts";

type MarketRow = Pick<Market, "id" | "pair" | "token" | "source" | "exchange"> & {
  symbol: string | null;
  first_bar_at: number | null;
  last_bar_at: number | null;
  is_failing: boolean;
  indexed_through: number | null;
};

/** Seconds without a report of the indexer after which the index counts as complete only to its last block. */
const maxSilenceSeconds = 15;

/**
 * Returns SQL for the time of the first or the last closed hour of the market `m`.
 *
 * @param poolHour - SQL for the hour if the market is the pool of the token `t`.
 */
const createHourQuery = (order: "asc" | "desc", poolHour: string) => `
  select case when m.token is null then (
    select b.time from app.market_bars b where b.market_id = m.id and b.interval = 3600 order by b.time ${order} limit 1
  ) else (${poolHour}) end as time`;

/** The hour of the first trade, or of the first stored candle: trades can be detached, and candles can be missing. */
const firstPoolHour = `
  select f.time from (
    select least(
      (select x.block_time - x.block_time % 3600 from chain.trades x
       where x.token_id = t.id order by x.block_number, x.log_index limit 1),
      (select k.t from chain.candles k where k.token_id = t.id and k.seconds = 3600 order by k.t limit 1)) as time
  ) f where f.time + 3600 <= (select block_time from chain.checkpoint)`;

/** Older hours are derived from trades, and a pool with trades in the last days needs none of them. */
const lastPoolHour = `
  select b.time from chain.read_pool_bars(m.token, 3600, $1::bigint - ${7 * 86_400}, 1e12::bigint, 1) b
  union all
  select b.time from chain.read_pool_bars(m.token, 3600, 0, 1e12::bigint, 1) b
  limit 1`;

/** $1: the time. A live index that reports is complete to the present: no trade followed its last block. */
const marketsQuery = `
  select m.id, m.pair, m.token, m.source, m.exchange, t.symbol, f.time as first_bar_at, l.time as last_bar_at,
    exists (select from app.market_progress g where g.market_id = m.id and g.interval = 3600 and g.error is not null)
      as is_failing,
    (select case when s.state = 'live' and s.updated_at > now() - interval '${maxSilenceSeconds} seconds'
       then $1::bigint else c.block_time end
     from chain.checkpoint c left join chain.status s on true) as indexed_through
  from app.markets m
  left join chain.tokens t on t.address = m.token
  left join lateral (${createHourQuery("asc", firstPoolHour)}) f on true
  left join lateral (${createHourQuery("desc", lastPoolHour)}) l on true
  -- A reorganisation can remove a launch. A blocked one is in no list.
  where m.tracked and (m.token is null or t.id is not null)
    and not exists (select from app.blocked_tokens k where k.token = m.token and k.blocked_at is not null)`;

/** Lists the tracked markets by name. */
export async function listMarkets(db: Queryable, nowSeconds: number): Promise<Market[]> {
  const { rows } = await db.query<MarketRow>({
    name: "markets",
    text: `${marketsQuery} order by m.pair`,
    values: [nowSeconds],
  });
  return rows.map((row) => toMarket(row, nowSeconds));
}

/** Finds a tracked market by its pair; null if none exists. */
export async function findMarket(db: Queryable, pair: string, nowSeconds: number): Promise<Market | null> {
  const { rows } = await db.query<MarketRow>({
    name: "market",
    text: `${marketsQuery} and m.pair = $2`,
    values: [nowSeconds, pair],
  });
  return rows[0] === undefined ? null : toMarket(rows[0], nowSeconds);
}

/**
 * Reads a text that changes with the data of responses about markets and signals: progress of collection, repair and
 * evaluation, failures of exchanges, records, the list of markets, blocked launches, and the minute of the index, at
 * whose end bars of pools close. Excludes imports, reorganisations, and ends of signals before their record is written.
 */
export async function readMarketVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ version: string }>({
    name: "market-version",
    text: `
      select concat_ws(' ',
        (select concat_ws(' ', sum(through), count(error)) from app.market_progress),
        (select concat_ws(' ', max(id), count(*) filter (where tracked)) from app.markets),
        (select concat_ws(' ', sum(through), count(*)) from app.signal_progress),
        (select concat_ws(' ', sum(computed_at), sum(resolved)) from app.signal_records),
        (select max(change) from app.blocked_tokens),
        (select block_time / 60 from chain.checkpoint)) as version`,
  });
  return rows[0]!.version;
}

function toMarket(row: MarketRow, nowSeconds: number): Market {
  const { id, pair, token, source, exchange, first_bar_at: firstBarAt, last_bar_at: lastBarAt } = row;
  const [base, quote] = pair.split("_") as [string, string];
  const facts = { source, lastBarAt, isFailing: row.is_failing, indexedThrough: row.indexed_through };
  return {
    id,
    pair,
    base,
    quote,
    symbol: row.symbol ?? base,
    token,
    source,
    exchange,
    ...judgeMarket(facts, nowSeconds),
    firstBarAt,
    lastBarAt,
  };
}
