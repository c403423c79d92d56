import type { TimedOutcome } from "@slipway/quant/signals/publishedConfidence";
import type { HitRecord } from "@slipway/quant/signals/shrinkHitRate";
import type { Client, Queryable } from "../../db/database.ts";
import { getIndexedPrice } from "../../pricing/ethUsdOracle.ts";
import { readEthUsd } from "../../pricing/queries.ts";
import type { Resolution } from "./resolveSignal.ts";
import type { Direction } from "./strategies/strategy.ts";

/** Maximum rows of one statement. */
const chunk = 1_000;

/** A signal to store. Costs and confidence are fractions, times are Unix seconds. */
export type NewSignal = {
  id: string;
  market_id: number;
  pair: string;
  token: string | null;
  strategy: string;
  strategy_version: number;
  direction: Direction;
  origin: "live" | "history";
  closed_at: number;
  generated_at: number;
  price: number;
  stop_loss: number;
  take_profit: number;
  cost: number;
  spread: number;
  impact: number;
  indicators: Record<string, number>;
  confidence: number | null;
} & ResolvedColumns;

type ResolvedColumns = {
  outcome: "hit" | "miss" | null;
  exit_reason: Resolution["reason"] | null;
  entry_price: number | null;
  exit_price: number | null;
  net_return: number | null;
  resolved_at: number | null;
};

/** Returns the outcome columns of a signal; all are null while the signal is open. */
export function toResolvedColumns(end: Resolution | null): ResolvedColumns {
  return {
    outcome: end === null ? null : end.return > 0 ? "hit" : "miss",
    exit_reason: end?.reason ?? null,
    entry_price: end?.entryPrice ?? null,
    exit_price: end?.exitPrice ?? null,
    net_return: end?.return ?? null,
    resolved_at: end?.resolvedAt ?? null,
  };
}

/** The last evaluated close, `through`, of a strategy version on a market. */
export type Progress = { market_id: number; strategy: string; strategy_version: number; through: number };

export async function listProgress(db: Queryable): Promise<Progress[]> {
  const { rows } = await db.query<Progress>(
    "select market_id, strategy, strategy_version, through from app.signal_progress",
  );
  return rows;
}

/**
 * Inserts new signals; skips existing ids.
 *
 * @returns The inserted ids.
 */
export async function insertSignals(client: Client, signals: readonly NewSignal[]): Promise<string[]> {
  const stored: string[] = [];
  for (let at = 0; at < signals.length; at += chunk) {
    const { rows } = await client.query<{ id: string }>(
      `insert into app.signals (id, market_id, pair, token, strategy, strategy_version, direction, origin, closed_at,
         generated_at, price, stop_loss, take_profit, cost, spread, impact, indicators, confidence,
         outcome, exit_reason, entry_price, exit_price, net_return, resolved_at)
       select id, market_id, pair, token, strategy, strategy_version, direction, origin, closed_at,
         generated_at, price, stop_loss, take_profit, cost, spread, impact, indicators, confidence,
         outcome, exit_reason, entry_price, exit_price, net_return, resolved_at
       from jsonb_to_recordset($1::jsonb) as r (id text, market_id int, pair text, token text, strategy text,
         strategy_version int, direction text, origin text, closed_at bigint, generated_at bigint, price float8,
         stop_loss float8, take_profit float8, cost float8, spread float8, impact float8, indicators jsonb,
         confidence float8, outcome text, exit_reason text, entry_price float8, exit_price float8, net_return float8,
         resolved_at bigint)
       order by closed_at, id
       on conflict do nothing returning id`,
      [JSON.stringify(signals.slice(at, at + chunk))],
    );
    for (const { id } of rows) stored.push(id);
  }
  return stored;
}

/** Stores the last evaluated closes; a stored close never moves back. */
export async function storeProgress(client: Client, progress: readonly Progress[]): Promise<void> {
  await client.query(
    `insert into app.signal_progress as p (market_id, strategy, strategy_version, through)
     select market_id, strategy, strategy_version, through
     from jsonb_to_recordset($1::jsonb) as r (market_id int, strategy text, strategy_version int, through bigint)
     on conflict (market_id, strategy, strategy_version)
     do update set through = excluded.through where p.through < excluded.through`,
    [JSON.stringify(progress)],
  );
}

/** Returns the key of a strategy's records: its name with its version. */
export const toKey = ({ strategy, strategy_version }: { strategy: string; strategy_version: number }) =>
  `${strategy}@${strategy_version}`;

/** Counts hits and resolved signals up to a time, by strategy and market. */
export async function listHitRecords(db: Queryable, until: number): Promise<Map<string, Map<string, HitRecord>>> {
  const { rows } = await db.query<{
    market_id: number;
    strategy: string;
    strategy_version: number;
    hits: number;
    count: number;
  }>(
    `select market_id, strategy, strategy_version, count(*) filter (where outcome = 'hit') as hits, count(*) as count
     from app.signals where resolved_at <= $1 group by 1, 2, 3 order by 1, 2, 3`,
    [until],
  );
  const records = new Map<string, Map<string, HitRecord>>();
  for (const row of rows) {
    const ofStrategy = records.get(toKey(row)) ?? new Map<string, HitRecord>();
    ofStrategy.set(String(row.market_id), { hits: row.hits, count: row.count });
    records.set(toKey(row), ofStrategy);
  }
  return records;
}

/** Lists the outcomes of resolved signals, from which confidence is computed. */
export async function listOutcomes(db: Queryable): Promise<TimedOutcome[]> {
  const { rows } = await db.query<{
    market_id: number;
    strategy: string;
    strategy_version: number;
    closed_at: number;
    resolved_at: number;
    is_hit: boolean;
  }>(
    `select market_id, strategy, strategy_version, closed_at, resolved_at, outcome = 'hit' as is_hit
     from app.signals where outcome is not null`,
  );
  return rows.map((row) => ({
    market: String(row.market_id),
    strategy: toKey(row),
    closedAt: row.closed_at,
    resolvedAt: row.resolved_at,
    isHit: row.is_hit,
  }));
}

export type StoredOpenSignal = {
  id: string;
  market_id: number;
  direction: Direction;
  closed_at: number;
  stop_loss: number;
  take_profit: number;
  cost: number;
};

/** Lists the open signals whose bars closed at `from` or later, by market and close. */
export async function listOpenSignals(db: Queryable, from: number): Promise<StoredOpenSignal[]> {
  const { rows } = await db.query<StoredOpenSignal>(
    `select id, market_id, direction, closed_at, stop_loss, take_profit, cost from app.signals
     where outcome is null and direction <> 'flat' and closed_at >= $1 order by market_id, closed_at`,
    [from],
  );
  return rows;
}

/** Stores the outcomes of open signals; a stored outcome never changes. @returns The number of resolved signals. */
export async function storeResolutions(
  db: Queryable,
  ends: readonly { id: string; end: Resolution }[],
): Promise<number> {
  const { rowCount } = await db.query(
    `update app.signals s set outcome = r.outcome, exit_reason = r.exit_reason, entry_price = r.entry_price,
       exit_price = r.exit_price, net_return = r.net_return, resolved_at = r.resolved_at
     from jsonb_to_recordset($1::jsonb) as r (id text, outcome text, exit_reason text, entry_price float8,
       exit_price float8, net_return float8, resolved_at bigint)
     where s.id = r.id and s.outcome is null`,
    [JSON.stringify(ends.map(({ id, end }) => ({ id, ...toResolvedColumns(end) })))],
  );
  return rowCount ?? 0;
}

/** The data of a launch's pool from which trading costs are computed. */
export type PoolDepth = { token: string; feeBps: number; liquidity: number; ethUsd: number | null };

/** Lists the fee, the locked liquidity and the ETH/USD price of launches' pools. */
export async function listPoolDepths(db: Queryable, tokens: readonly string[]): Promise<PoolDepth[]> {
  const { rows } = await db.query<Omit<PoolDepth, "ethUsd">>(
    `select address as token, fee_bps as "feeBps", locked_liquidity::float8 as liquidity
     from chain.tokens where address = any ($1)`,
    [tokens],
  );
  const ethUsd = getIndexedPrice(await readEthUsd(db));
  return rows.map((row) => ({ ...row, ethUsd }));
}

/** Returns the Unix seconds of the last indexed block; null without an index. */
export async function getIndexedTime(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ block_time: number }>("select block_time from chain.checkpoint");
  return rows[0]?.block_time ?? null;
}
