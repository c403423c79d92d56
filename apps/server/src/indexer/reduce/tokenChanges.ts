import { bucketStart } from "@slipway/protocol/candle";
import { computeLiquidityValue } from "@slipway/protocol/lockedPosition";
import { clearBatchState, type TokenRef } from "../indexState.ts";
import type { Batch } from "./batch.ts";
import { isHolder } from "./isHolder.ts";

/**
 * The new state of a token. Fields are named like the columns of chain.token_state. `oldest_minute` null keeps the
 * token's 24 h window, 0 marks the window as due.
 */
export type TokenStateChange = {
  token_id: number;
  sqrt_price_x96: bigint;
  tick: number;
  liquidity: bigint;
  pool_protocol_fee: number;
  price: number;
  total_supply: bigint;
  burned: bigint;
  trades: number;
  buys: number;
  volume_quote: bigint;
  volume_usd: bigint | null;
  last_trade_time: number | null;
  market_cap: number;
  liquidity_quote: number;
  price_24h_ago: number;
  oldest_minute: number | null;
  changed_block: number;
  changed_time: number;
};

/**
 * The change of an account's balance of a token in a block of the minute `t`. `counts`: whether a balance makes the account a
 * holder; otherwise the change is of the whole batch.
 */
export type BalanceChange = {
  token_id: number;
  account: string;
  block_number: number;
  t: number;
  delta: bigint;
  counts: boolean;
};

/** Time of an account's last trade of a token; token_id 0 means any token. */
export type LastTrade = { token_id: number; account: string; last_time: number };

/** Changes of the mutable rows of a batch's tokens. */
export type TokenChanges = { states: TokenStateChange[]; balances: BalanceChange[]; traders: LastTrade[] };

/**
 * Takes the changes of a batch's tokens out of the index state, which collects them while logs are reduced. Afterwards
 * the caller may reduce the next batch while this batch is written.
 */
export function takeTokenChanges(batch: Batch): TokenChanges {
  const changes: TokenChanges = { states: [], balances: [], traders: [] };
  const anyToken = new Map<string, number>();
  for (const token of batch.touched) {
    changes.states.push(toStateChange(token));
    for (const [account, steps] of token.deltas) {
      const own = { token_id: token.id, account, counts: isHolder(token, account) };
      for (const { block, time, delta } of steps) {
        if (delta !== 0n) changes.balances.push({ ...own, block_number: block, t: bucketStart(time, 60), delta });
      }
    }
    for (const [account, time] of token.traders) {
      changes.traders.push({ token_id: token.id, account, last_time: time });
      anyToken.set(account, Math.max(time, anyToken.get(account) ?? 0));
    }
    clearBatchState(token);
  }
  for (const [account, time] of anyToken) changes.traders.push({ token_id: 0, account, last_time: time });
  return changes;
}

function toStateChange(token: TokenRef): TokenStateChange {
  return {
    token_id: token.id,
    sqrt_price_x96: token.sqrtPriceX96,
    tick: token.tick,
    liquidity: token.liquidity,
    pool_protocol_fee: token.poolProtocolFee,
    price: token.lastClose,
    total_supply: token.totalSupply,
    burned: token.burned,
    trades: token.trades,
    buys: token.buys,
    volume_quote: token.volumeQuote,
    volume_usd: token.volumeUsd,
    last_trade_time: token.lastTradeTime,
    market_cap: (token.lastClose * Number(token.totalSupply - token.burned)) / 1e18,
    liquidity_quote: getLiquidityValue(token),
    price_24h_ago: token.startPrice,
    oldest_minute: token.traders.size > 0 ? 0 : null,
    changed_block: token.changedBlock,
    changed_time: token.changedTime,
  };
}

function getLiquidityValue({ lockedLiquidity: liquidity, tickLower, tickUpper, isToken0, ...token }: TokenRef): number {
  return computeLiquidityValue({ liquidity, tickLower, tickUpper, isToken0 }, token.sqrtPriceX96, token.lastClose);
}
