import type { Queryable } from "../../db/database.ts";

/** A launch in the feeds. Addresses are lower case. */
export type FeedToken = {
  address: string;
  pool: string;
  name: string;
  symbol: string;
  decimals: number;
  is_token0: boolean;
  quote_token: string;
  creator: string;
  fee_bps: number;
  block_number: number;
  block_time: number;
  tx_hash: string;
  /** Base units as decimal text; `burned` as of a final block. */
  total_supply: string;
  burned: string;
};

/**
 * Burned tokens before the batches that a reorganisation can undo: the oldest before image of the state, or the state if
 * none of these batches changed it. $2: the newest block of the feeds.
 */
const finalBurned = `
  left join lateral (
    select u.batch_id, u.before from chain.undo u
    where u.relation = 'token_state' and u.key = jsonb_build_object('token_id', t.id)
      and u.batch_id >= (select h.batch_id from chain.headers h where h.block_number = $2)
    order by u.batch_id limit 1
  ) u on true`;

/** Finds a launch up to a block by the address of its token or of its pool, lower case; null if there is none. */
export async function findFeedToken(
  db: Queryable,
  by: "address" | "pool",
  address: string,
  finalBlock: number,
): Promise<FeedToken | null> {
  const { rows } = await db.query<FeedToken>({
    name: `feed-token-${by}`,
    text: `
      select t.address, t.pool, t.name, t.symbol, t.decimals, t.is_token0, t.quote_token, t.creator, t.fee_bps,
        t.block_number, t.block_time, t.tx_hash, s.total_supply,
        -- A before image without a state is of the launch itself: nothing was burned.
        case when u.batch_id is null then s.burned else coalesce((u.before ->> 'burned')::numeric, 0) end as burned
      from chain.tokens t
      join chain.token_state s on s.token_id = t.id
      ${finalBurned}
      where t.${by} = $1 and t.block_number <= $2`,
    values: [address, finalBlock],
  });
  return rows[0] ?? null;
}

/** A launch as a symbol of a chart. `usd_known`: the launch and every trade have a USD price. */
export type ChartToken = {
  address: string;
  name: string;
  symbol: string;
  start_price: number;
  start_eth_usd: number | null;
  usd_known: boolean;
};

const chartColumns = `t.address, t.name, t.symbol, t.start_price, t.start_eth_usd,
  t.start_eth_usd is not null and s.volume_usd is not null as usd_known`;

/** Finds a launch up to a block by its lower-case address. */
export async function findChartToken(db: Queryable, address: string, finalBlock: number): Promise<ChartToken | null> {
  const { rows } = await db.query<ChartToken>({
    name: "chart-token",
    text: `select ${chartColumns} from chain.tokens t join chain.token_state s on s.token_id = t.id
      where t.address = $1 and t.block_number <= $2`,
    values: [address, finalBlock],
  });
  return rows[0] ?? null;
}

/** Rows that a search without ids examines: a text that many tokens have fills the page after few rows. */
const maxExamined = 10_000;

/**
 * Lists unblocked launches up to a block by market cap.
 *
 * @param search - Of `searchTokenTexts`; null for all launches.
 */
export async function listChartTokens(
  db: Queryable,
  options: { search: { pattern: string; ids: string | null } | null; finalBlock: number; limit: number },
): Promise<ChartToken[]> {
  const { search, finalBlock, limit } = options;
  const ids = search?.ids ?? null;
  const candidates =
    ids === null
      ? `(select * from chain.token_state order by market_cap desc, token_id desc limit ${maxExamined})`
      : "(select s.* from unnest($3::integer[]) m(id) join chain.token_state s on s.token_id = m.id)";
  const matches = search === null ? "$3::text is null" : ids === null ? "t.search_text like $3" : "true";
  const { rows } = await db.query<ChartToken>(
    `select ${chartColumns} from ${candidates} s join chain.tokens t on t.id = s.token_id
     where ${matches} and t.block_number <= $1 and not exists (
       select from app.blocked_tokens b where b.token = t.address and b.blocked_at is not null
     )
     order by s.market_cap desc, s.token_id desc limit $2`,
    [finalBlock, limit, ids ?? search?.pattern ?? null],
  );
  return rows;
}
