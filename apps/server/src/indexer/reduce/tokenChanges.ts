import { isBurnAddress } from "../events/tokenTransfer.ts";
import { clearBatchState, type TokenRef } from "../indexState.ts";
import type { Batch } from "./batch.ts";
import type { BalanceChange, TokenStateRow, TraderRow } from "./rows.ts";

/** What a batch changes of its tokens' mutable rows. */
export type TokenChanges = { states: TokenStateRow[]; balances: BalanceChange[]; traders: TraderRow[] };

/**
 * Takes the changes of a batch's tokens out of the world, where they are kept while logs are reduced: from then on the
 * world may go on to the next batch while this one is written.
 */
export function takeTokenChanges(batch: Batch): TokenChanges {
  const changes: TokenChanges = { states: [], balances: [], traders: [] };
  const anyToken = new Map<string, number>();
  for (const token of batch.touched) {
    changes.states.push(toStateChange(token));
    for (const [account, delta] of token.deltas) {
      if (delta === 0n) continue;
      // Pool, locker and burn addresses hold for nobody: they have balances but are no holders.
      const counts = account !== token.pool && account !== token.locker && !isBurnAddress(account);
      changes.balances.push({ token_id: token.id, account, delta, counts });
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

function toStateChange(token: TokenRef): TokenStateRow {
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
    price_24h_ago: token.startPrice,
    oldest_minute: token.traders.size > 0 ? 0 : null,
    changed_block: token.changedBlock,
    changed_time: token.changedTime,
  };
}
