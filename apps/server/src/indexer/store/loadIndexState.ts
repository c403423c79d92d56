import type { Queryable } from "../../db/database.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { addToken, createIndexState, type IndexState } from "../indexState.ts";
import type { Sources } from "../sources.ts";

type Row = {
  id: number;
  address: string;
  pool: string;
  deployment_id: number;
  is_token0: boolean;
  fee_bps: number;
  protocol_fee_bps: number;
  splitter: string;
  creator: string;
  locked_liquidity: string;
  tick_lower: number;
  tick_upper: number;
  start_price: number;
  start_eth_usd: number | null;
  block_number: number;
  block_time: number;
  log_index: number;
  sqrt_price_x96: string;
  tick: number;
  liquidity: string;
  pool_protocol_fee: number;
  reserve_token: string | null;
  reserve_quote: string | null;
  price: number;
  total_supply: string;
  burned: string;
  trades: number;
  buys: number;
  volume_quote: string;
  volume_usd: string | null;
  last_trade_time: number | null;
  changed_block: number;
  changed_time: number;
  last_price: number | null;
  last_eth_usd: number | null;
  last_candle_usd: number | null;
};

/** Builds the index state in memory from the committed index. */
export async function loadIndexState(db: Queryable, sources: Sources, events: EventCatalog): Promise<IndexState> {
  const state = createIndexState(sources);
  const { rows } = await db.query<Row>(
    `select k.id, k.address, k.pool, k.deployment_id, k.is_token0, k.fee_bps, k.protocol_fee_bps, k.splitter, k.creator,
       k.locked_liquidity, k.tick_lower, k.tick_upper, k.start_price, k.start_eth_usd, k.block_number,
       k.block_time, k.log_index,
       s.sqrt_price_x96, s.tick, s.liquidity,
       s.pool_protocol_fee, s.reserve_token, s.reserve_quote, s.price, s.total_supply, s.burned, s.trades, s.buys, s.volume_quote, s.volume_usd,
       s.last_trade_time, s.changed_block, s.changed_time, t.pool_price as last_price, t.eth_usd as last_eth_usd,
       -- The candles of detached trades stay.
       case when t.pool_price is null then (
         select c.c_usd from chain.candles c where c.token_id = k.id and c.seconds = 60 order by c.t desc limit 1
       ) end as last_candle_usd
     from chain.tokens k join chain.token_state s on s.token_id = k.id
     left join lateral (
       select t.pool_price, t.eth_usd from chain.trades t where t.token_id = k.id
       order by t.block_number desc, t.log_index desc limit 1
     ) t on true
     order by k.id`,
  );
  const lockers = new Map(sources.deployments.map((deployment) => [deployment.id, deployment.feeLocker]));
  for (const row of rows) {
    addToken(state, {
      id: row.id,
      address: row.address,
      pool: row.pool,
      locker: lockers.get(row.deployment_id)!,
      isToken0: row.is_token0,
      feeBps: row.fee_bps,
      protocolFeeBps: row.protocol_fee_bps,
      splitter: row.splitter,
      creator: row.creator,
      lockedLiquidity: BigInt(row.locked_liquidity),
      tickLower: row.tick_lower,
      tickUpper: row.tick_upper,
      startPrice: row.start_price,
      launchBlock: row.block_number,
      launchTime: row.block_time,
      launchLogIndex: row.log_index,
      launchTx: null,
      sqrtPriceX96: BigInt(row.sqrt_price_x96),
      tick: row.tick,
      liquidity: BigInt(row.liquidity),
      poolProtocolFee: row.pool_protocol_fee,
      reserveToken: BigInt(row.reserve_token ?? 0),
      reserveQuote: BigInt(row.reserve_quote ?? 0),
      totalSupply: BigInt(row.total_supply),
      burned: BigInt(row.burned),
      trades: row.trades,
      buys: row.buys,
      volumeQuote: BigInt(row.volume_quote),
      volumeUsd: row.volume_usd === null ? null : BigInt(row.volume_usd),
      lastTradeTime: row.last_trade_time,
      lastClose: row.price,
      lastCloseUsd: lastCloseUsd(row),
      changedBlock: row.changed_block,
      changedTime: row.changed_time,
      batchId: -1,
      candles: [],
      traders: new Map(),
      deltas: new Map(),
      facts: null,
    });
  }
  for (const event of events.modules) await event.load?.(db, state);
  const { rows: accounts } = await db.query<{ next: number }>(
    "select coalesce(max(id), 0) + 1 as next from chain.accounts",
  );
  state.nextAccountId = accounts[0]!.next;
  return state;
}

/** Returns the USD price after the last trade; before the first trade, the start price in USD. */
function lastCloseUsd(row: Row): number | null {
  if (row.trades > 0 && row.last_price === null) return row.last_candle_usd;
  const [price, ethUsd] = row.trades > 0 ? [row.last_price, row.last_eth_usd] : [row.start_price, row.start_eth_usd];
  return price === null || ethUsd === null ? null : price * ethUsd;
}
