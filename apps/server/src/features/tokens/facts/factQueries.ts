import { maxEarlierLaunches } from "@slipway/protocol/facts";
import type { Queryable } from "../../../db/database.ts";
import { selectTop10 } from "../topHolders.ts";

/** Sums about a launch's creator, as text; null if unknown. See 0052_launch_facts.sql. */
export type CreatorSums = {
  total_supply: string;
  creator_received: string | null;
  creator_sent: string | null;
  creator_sold: string | null;
};

/** The figures of the short form. */
export type FactSummaryRow = CreatorSums & {
  creator_launches: number | null;
  holders_without_buy: number | null;
  traded: string | null;
  round_trips_300s: string | null;
  first_buys: FirstBuysRow | null;
};

/** Sums of the first buys of a token, by column of chain.first_buys: amounts as text, and numbers of accounts. */
export type FirstBuysRow = { [column: string]: string | number };

export type EarlierLaunchRow = CreatorSums & {
  address: string;
  name: string;
  symbol: string;
  blocked: boolean;
  block_number: number;
  block_time: number;
  trades: number;
  last_trade_time: number | null;
  locked_liquidity: string;
  sqrt_price_x96: string;
  tick_lower: number;
  tick_upper: number;
  is_token0: boolean;
  price: number;
};

export type FactsRow = FactSummaryRow & {
  address: string;
  creator: string;
  block_number: number;
  block_time: number;
  fee_bps: number;
  protocol_fee_bps: number;
  liquidity: string;
  tick: number;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: string;
  creator_bought: string | null;
  round_trips_block: string | null;
  top10: string;
  funded: { buyers: number; bought: string };
  earlier: EarlierLaunchRow[];
  index_from: number;
  index_block: number;
  index_time: number;
};

const sumColumns = `
  t.creator_launches, s.creator_received, s.creator_sent, s.creator_sold, s.holders_without_buy, s.traded,
  s.round_trips_300s`;

/** SQL of the columns of `FactSummaryRow`, for `chain.tokens t` and `chain.token_state s`. */
export const factSummaryColumns = `${sumColumns},
  (select json_build_object('bought_block', f.bought_block::text, 'buyers_block', f.buyers_block,
     'held_block', f.held_block::text)
   from chain.first_buys f where f.token_id = t.id limit 1) as first_buys`;

/** Maximum number of first buyers that are compared with the accounts that the creator gave tokens, the largest first. */
const maxComparedBuyers = 1_000;

/** SQL of the first buyers to which the creator transferred tokens of a launch of its own. */
const selectFunded = `(
  select json_build_object('buyers', count(*), 'bought', coalesce(sum(f.bought), 0)::text)
  from (
    select account_id, greatest(bought_10_blocks, bought_60s) as bought from chain.first_buyers
    where token_id = t.id order by greatest(bought_10_blocks, bought_60s) desc limit ${maxComparedBuyers}
  ) f
  where exists (
    select from chain.creator_transfers c where c.account_id = f.account_id and c.creator_id = (
      select id from chain.accounts where address = decode(substr(t.creator, 3), 'hex'))
  ))`;

const selectEarlier = `array_to_json(array(
  select json_build_object('address', e.address, 'name', e.name, 'symbol', e.symbol, 'blocked', exists (
      select from app.blocked_tokens b where b.token = e.address and b.blocked_at is not null),
    'block_number', e.block_number, 'block_time', e.block_time, 'trades', es.trades,
    'last_trade_time', es.last_trade_time, 'locked_liquidity', e.locked_liquidity::text,
    'sqrt_price_x96', es.sqrt_price_x96::text, 'tick_lower', e.tick_lower, 'tick_upper', e.tick_upper,
    'is_token0', e.is_token0, 'price', es.price, 'total_supply', es.total_supply::text,
    'creator_received', es.creator_received::text, 'creator_sent', es.creator_sent::text,
    'creator_sold', es.creator_sold::text)
  from (
    select * from chain.tokens x
    where x.creator = t.creator and (x.block_number, x.log_index) < (t.block_number, t.log_index)
    order by x.block_number desc, x.log_index desc limit ${maxEarlierLaunches}
  ) e
  cross join lateral (select * from chain.token_state where token_id = e.id limit 1) es
  order by e.block_number desc, e.log_index desc))`;

/** Finds the figures of a token's facts in one statement; null when the token is not indexed. @param address - Lower case. */
export async function findFacts(db: Queryable, address: string): Promise<FactsRow | null> {
  const { rows } = await db.query<FactsRow>({
    name: "token-facts",
    text: `
      select t.address, t.creator, t.block_number, t.block_time, t.fee_bps, t.protocol_fee_bps, t.tick_lower,
        t.tick_upper, t.locked_liquidity, s.liquidity, s.tick, s.total_supply, s.creator_bought, s.round_trips_block,
        ${sumColumns},
        (select to_jsonb(f) from (
          select bought_tx::text, bought_block::text, bought_3_blocks::text, bought_10_blocks::text, bought_60s::text,
            buyers_tx, buyers_block, buyers_3_blocks, buyers_10_blocks, buyers_60s,
            held_tx::text, held_block::text, held_3_blocks::text, held_10_blocks::text, held_60s::text
          from chain.first_buys where token_id = t.id
        ) f) as first_buys,
        ${selectTop10} as top10, ${selectFunded} as funded, ${selectEarlier} as earlier,
        c.from_block as index_from, c.block_number as index_block, c.block_time as index_time
      from chain.tokens t
      join chain.token_state s on s.token_id = t.id
      join chain.deployments d on d.id = t.deployment_id
      cross join chain.checkpoint c
      where t.address = $1`,
    values: [address],
  });
  return rows[0] ?? null;
}
