import type { Queryable } from "../../db/database.ts";

/** The data of a token that its card shows. */
export type CardRow = {
  name: string;
  symbol: string;
  /** In wrapped native. */
  price: number;
  change_24h_pct: number;
  blocked: boolean;
  /** The hash of the processed picture; null without a processed picture. */
  sha256: string | null;
  /** Closing prices in wrapped native and their times, ascending. */
  line: { t: number; price: number }[];
};

/** Maximum number of points of a line. */
const maxPoints = 168;

/** Creates the SQL of the latest closing prices of the token `t`, from candles of a length. */
const latest = (seconds: number) => `(
  select coalesce(json_agg(json_build_object('t', k.t, 'price', k.c) order by k.t), '[]') from (
    select t, c from chain.token_candles(t.id, ${seconds}, 0, 1e12::bigint, ${maxPoints})
  ) k)`;

/**
 * Finds the data of a token's card, with the hourly prices of a week, or minute prices for a token with fewer than two
 * hours; null if the token is not indexed.
 */
export async function findCard(db: Queryable, address: string): Promise<CardRow | null> {
  const { rows } = await db.query<CardRow & { hours: CardRow["line"]; minutes: CardRow["line"] }>({
    name: "token-card",
    text: `
      select t.name, t.symbol, s.price, s.change_24h_pct, b.token is not null as blocked,
        case when g.shown then encode(g.sha256, 'hex') end as sha256, ${latest(3_600)} as hours, ${latest(60)} as minutes
      from chain.tokens t
      cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s
      left join lateral (select sha256, shown from app.gallery where token = t.address limit 1) g on true
      left join lateral (
        select token from app.blocked_tokens where token = t.address and blocked_at is not null limit 1
      ) b on true
      where t.address = $1`,
    values: [address],
  });
  const [row] = rows;
  return row === undefined ? null : { ...row, line: row.hours.length > 1 ? row.hours : row.minutes };
}
