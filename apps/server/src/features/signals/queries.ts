import type { Queryable } from "../../db/database.ts";
import type { SignalRow } from "../../live/toSignal.ts";
import type { StoredRecord } from "./recordQueries.ts";

/** The filter of a list of signals; null: any. Times are Unix seconds, `to` is excluded. */
export type SignalFilter = {
  pair: string | null;
  strategy: string | null;
  direction: string | null;
  outcome: "hit" | "miss" | "open" | null;
  from: number | null;
  to: number | null;
};

export type ListedSignal = SignalRow & {
  outcome: "hit" | "miss" | null;
  exit_reason: "stop_loss" | "take_profit" | "time_limit" | null;
  exit_price: number | null;
  net_return: number | null;
  resolved_at: number | null;
};

const columns = `s.id, s.pair, s.token, s.strategy, s.strategy_version, s.direction, s.origin, s.closed_at,
  s.generated_at, s.price, s.stop_loss, s.take_profit, s.indicators, s.confidence, r.skill, r.track_record`;
const records = `left join app.signal_records r on r.market_id = s.market_id and r.strategy = s.strategy
  and r.strategy_version = s.strategy_version`;

/** SQL that excludes the signals of blocked tokens. */
const shown = `not exists (select from app.blocked_tokens k where k.token = s.token and k.blocked_at is not null)`;

/**
 * Lists the newest signal of each strategy on each market, newest first. Omits a strategy whose newest signal has
 * another direction than `direction`.
 */
export async function listLatest(
  db: Queryable,
  { pair, strategy, direction }: Pick<SignalFilter, "pair" | "strategy" | "direction">,
  limit: number,
): Promise<SignalRow[]> {
  const { rows } = await db.query<SignalRow>({
    name: "latest-signals",
    text: `
      select ${columns} from app.signal_progress p
      cross join lateral (
        select * from app.signals
        where market_id = p.market_id and strategy = p.strategy and strategy_version = p.strategy_version
        order by closed_at desc limit 1
      ) s
      ${records}
      where ($1::text is null or s.pair = $1) and ($2::text is null or s.strategy = $2)
        and ($3::text is null or s.direction = $3) and ${shown}
        -- Only the newest version of a strategy.
        and not exists (select from app.signal_progress n where n.market_id = p.market_id and n.strategy = p.strategy
          and n.strategy_version > p.strategy_version)
      order by s.closed_at desc, s.id desc limit $4`,
    values: [pair, strategy, direction, limit],
  });
  return rows;
}

/** Returns the Unix seconds of the last evaluated close; null before the first evaluation. */
export async function getEvaluatedThrough(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ through: number | null }>(
    "select max(through) as through from app.signal_progress",
  );
  return rows[0]!.through;
}

/** The signal after which a page begins. */
export type SignalPosition = { closedAt: number; id: string };

/** Lists signals, newest first. */
export async function listHistory(
  db: Queryable,
  filter: SignalFilter,
  { after, limit }: { after: SignalPosition | null; limit: number },
): Promise<ListedSignal[]> {
  const values: unknown[] = [limit];
  const add = (condition: (place: string) => string, value: unknown) => {
    values.push(value);
    return `and ${condition(`$${values.length}`)}`;
  };
  const { pair, strategy, direction, outcome, from, to } = filter;
  const conditions = [
    pair === null ? "" : add((place) => `s.pair = ${place}`, pair),
    strategy === null ? "" : add((place) => `s.strategy = ${place}`, strategy),
    direction === null ? "" : add((place) => `s.direction = ${place}`, direction),
    outcome === null
      ? ""
      : outcome === "open"
        ? "and s.outcome is null"
        : add((place) => `s.outcome = ${place}`, outcome),
    from === null ? "" : add((place) => `s.closed_at >= ${place}`, from),
    to === null ? "" : add((place) => `s.closed_at < ${place}`, to),
    after === null
      ? ""
      : `${add((place) => `s.closed_at <= ${place}`, after.closedAt)} ${add(
          (place) => `(s.closed_at, s.id) < ($${values.length - 1}, ${place})`,
          after.id,
        )}`,
  ];
  const { rows } = await db.query<ListedSignal>(
    `select ${columns}, s.outcome, s.exit_reason, s.exit_price, s.net_return, s.resolved_at
     from app.signals s ${records} where ${shown} ${conditions.join(" ")}
     order by s.closed_at desc, s.id desc limit $1`,
    values,
  );
  return rows;
}

/** Lists records by pair and strategy. */
export async function listRecords(
  db: Queryable,
  { pair, strategy }: Pick<SignalFilter, "pair" | "strategy">,
): Promise<StoredRecord[]> {
  const { rows } = await db.query<StoredRecord>({
    name: "signal-records",
    text: `
      select r.market_id, r.pair, r.strategy, r.strategy_version, r.resolved, r.skill, r.track_record, r.bins,
        r.computed_at
      from app.signal_records r join app.markets m on m.id = r.market_id
      where ($1::text is null or r.pair = $1) and ($2::text is null or r.strategy = $2)
        and not exists (select from app.blocked_tokens k where k.token = m.token and k.blocked_at is not null)
      order by r.pair, r.strategy, r.strategy_version`,
    values: [pair, strategy],
  });
  return rows;
}

/** Lists the directions of the newest published signals of pairs, with the close of their bar in Unix seconds. */
export async function listNewestSignals(
  db: Queryable,
  pairs: readonly string[],
): Promise<{ pair: string; closed_at: number; directions: string[] }[]> {
  const { rows } = await db.query<{ pair: string; closed_at: number; directions: string[] }>(
    `select p.pair, n.closed_at::float8 as closed_at,
       (select array_agg(distinct s.direction) from app.signals s
        where s.pair = p.pair and s.closed_at = n.closed_at and s.origin = 'live') as directions
     from unnest($1::text[]) as p (pair)
     cross join lateral (
       select s.closed_at from app.signals s where s.pair = p.pair and s.origin = 'live' order by s.closed_at desc limit 1
     ) n order by 1`,
    [pairs],
  );
  return rows;
}
