import { computeLiquidityValue } from "@slipway/protocol/lockedPosition";
import { clearBatchState, type TokenRef } from "../indexState.ts";
import type { Batch } from "./batch.ts";
import { type BalanceSums, sumBalanceSteps } from "./holderTurns.ts";
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
  reserve_token: bigint;
  reserve_quote: bigint;
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
} & FactSums;

/** The amounts that the batch adds to the sums of a token's facts. */
type FactSums = {
  creator_received: bigint;
  creator_sent: bigint;
  creator_bought: bigint;
  creator_sold: bigint;
  traded: bigint;
  round_trips_block: bigint;
  round_trips_300s: bigint;
};

/** The names of the columns that grow by a batch's sums. */
export const factSums = [
  ...(["creator_received", "creator_sent", "creator_bought", "creator_sold"] as const),
  ...(["traded", "round_trips_block", "round_trips_300s"] as const),
] satisfies (keyof FactSums)[];

/**
 * The change of an account's balance of a token; zero for a buyer that passed the tokens on. `counts`: whether a balance
 * makes the account a holder; otherwise it has no turns.
 */
export type BalanceChange = BalanceSums & { token_id: number; account: string; counts: boolean };

/** Time of an account's last trade of a token, and block of its first buy in the batch; token_id 0 means any token. */
export type LastTrade = { token_id: number; account: string; last_time: number; first_buy_block: number | null };

/** Tokens that an account bought in each of `launchWindows`. */
export type FirstBuy = { token_id: number; account: string; bought: readonly bigint[] };

/** Changes of the mutable rows of a batch's tokens. */
export type TokenChanges = {
  states: TokenStateChange[];
  balances: BalanceChange[];
  traders: LastTrade[];
  firstBuys: FirstBuy[];
};

/**
 * Takes the changes of a batch's tokens out of the index state, which collects them while logs are reduced. Afterwards
 * the caller may reduce the next batch while this batch is written.
 */
export function takeTokenChanges(batch: Batch): TokenChanges {
  const changes: TokenChanges = { states: [], balances: [], traders: [], firstBuys: [] };
  const anyToken = new Map<string, number>();
  for (const token of batch.touched) {
    const buyBlocks = token.facts?.buyBlocks;
    changes.states.push(toStateChange(token));
    for (const [account, steps] of token.deltas) {
      const counts = isHolder(token, account);
      const { delta, lowest, turns } = sumBalanceSteps(steps);
      // Without a change, a buyer still counts as one that bought.
      const isChanged = delta !== 0n || turns.length > 0 || buyBlocks?.has(account);
      if (isChanged)
        changes.balances.push({ token_id: token.id, account, delta, lowest, counts, turns: counts ? turns : [] });
    }
    for (const [account, time] of token.traders) {
      const firstBuyBlock = buyBlocks?.get(account) ?? null;
      changes.traders.push({ token_id: token.id, account, last_time: time, first_buy_block: firstBuyBlock });
      anyToken.set(account, Math.max(time, anyToken.get(account) ?? 0));
    }
    for (const [account, bought] of token.facts?.firstBuys ?? [])
      changes.firstBuys.push({ token_id: token.id, account, bought });
    clearBatchState(token);
  }
  for (const [account, time] of anyToken)
    changes.traders.push({ token_id: 0, account, last_time: time, first_buy_block: null });
  return changes;
}

function toStateChange(token: TokenRef): TokenStateChange {
  return {
    token_id: token.id,
    sqrt_price_x96: token.sqrtPriceX96,
    tick: token.tick,
    liquidity: token.liquidity,
    pool_protocol_fee: token.poolProtocolFee,
    reserve_token: token.reserveToken,
    reserve_quote: token.reserveQuote,
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
    creator_received: token.facts?.creatorReceived ?? 0n,
    creator_sent: token.facts?.creatorSent ?? 0n,
    creator_bought: token.facts?.creatorBought ?? 0n,
    creator_sold: token.facts?.creatorSold ?? 0n,
    traded: token.facts?.traded ?? 0n,
    round_trips_block: token.facts?.roundTripsBlock ?? 0n,
    round_trips_300s: token.facts?.roundTrips300s ?? 0n,
  };
}

function getLiquidityValue({ lockedLiquidity: liquidity, tickLower, tickUpper, isToken0, ...token }: TokenRef): number {
  return computeLiquidityValue({ liquidity, tickLower, tickUpper, isToken0 }, token.sqrtPriceX96, token.lastClose);
}
