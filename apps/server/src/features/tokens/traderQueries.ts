import type { Queryable } from "../../db/database.ts";

/** A token's pool, as far as values of its tokens depend on it. Numeric columns are decimal text. */
export type PoolStateRow = {
  is_token0: boolean;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: string;
  liquidity: string;
  sqrt_price_x96: string;
  tick: number;
  fee_bps: number;
  changed_block: number;
  changed_time: number;
};

/** An account's basis in a token (indexer/reduce/costBasis.ts): base units, USD in millionths. */
export type TraderRow = {
  address: string;
  last_time: number;
  held: string;
  cost_quote: string;
  cost_usd: string | null;
  realized_quote: string;
  realized_usd: string | null;
};

const poolColumns = `t.is_token0, t.tick_lower, t.tick_upper, t.locked_liquidity, t.fee_bps, s.liquidity, s.sqrt_price_x96,
  s.tick, s.changed_block, s.changed_time`;

/** Reads the state of a token's pool; null when the token is not indexed. @param address - Lower case. */
export async function readPoolState(db: Queryable, address: string): Promise<PoolStateRow | null> {
  const { rows } = await db.query<PoolStateRow>({
    name: "token-pool",
    text: `select ${poolColumns} from chain.tokens t join chain.token_state s on s.token_id = t.id where t.address = $1`,
    values: [address],
  });
  return rows[0] ?? null;
}

/** SQL of the traders of the token `t` in an order, each by one index, as a JSON array. `at.id`: the cursor's account. */
const selectTraders = (condition: string, column: "realized_quote" | "held") => `
  coalesce((
    select json_agg(json_build_object('address', '0x' || encode(a.address, 'hex'), 'last_time', r.last_time,
      'held', r.held::text, 'cost_quote', r.cost_quote::text, 'cost_usd', r.cost_usd::text,
      'realized_quote', r.realized_quote::text, 'realized_usd', r.realized_usd::text)
      order by r.${column} desc, r.account_id desc)
    from (
      select * from chain.traders
      where token_id = t.id and token_id <> 0 and ${condition}
      order by ${column} desc, account_id desc limit $2::int
    ) r
    cross join lateral (select address from chain.accounts where id = r.account_id limit 1) a
  ), '[]')`;

export type TradersRow = PoolStateRow & { is_cursor_known: boolean; traders: TraderRow[] };

/** The amount and the account after which a page begins; lower case. */
export type TraderCursor = { amount: string; account: string };

/**
 * Reads the accounts with the largest realized profit in a token, largest first; equal profits by account id, latest first.
 * Only accounts that have sold. Null when the token is not indexed.
 */
export async function readRealizedTraders(
  db: Queryable,
  { address, limit, cursor }: { address: string; limit: number; cursor: TraderCursor | null },
): Promise<TradersRow | null> {
  const { rows } = await db.query<TradersRow>({
    name: "token-traders-realized",
    text: `
      with at as materialized (select (select id from chain.accounts where address = decode($4::text, 'hex')) as id)
      select ${poolColumns}, $4::text is null or (select id is not null from at) as is_cursor_known,
        ${selectTraders(
          `realized_quote <> 0 and (realized_quote, account_id)
           < (coalesce($3::numeric, 'infinity'), coalesce((select id from at), 0))`,
          "realized_quote",
        )} as traders
      from chain.tokens t join chain.token_state s on s.token_id = t.id where t.address = $1`,
    values: [address, limit, cursor?.amount ?? null, cursor?.account.slice(2) ?? null],
  });
  return rows[0] ?? null;
}

/** Reads the accounts with the largest amounts bought and not sold, largest first. Null when the token is not indexed. */
export async function readHoldingTraders(
  db: Queryable,
  { address, limit }: { address: string; limit: number },
): Promise<TradersRow | null> {
  const { rows } = await db.query<TradersRow>({
    name: "token-traders-held",
    text: `
      select ${poolColumns}, true as is_cursor_known, ${selectTraders("held > 0", "held")} as traders
      from chain.tokens t join chain.token_state s on s.token_id = t.id where t.address = $1`,
    values: [address, limit],
  });
  return rows[0] ?? null;
}
