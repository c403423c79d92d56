import type { Queryable } from "../db/database.ts";
import type { TradeRow } from "../pricing/toIndexedTrade.ts";
import { type OldRows, selectOldRows } from "./oldRowQueries.ts";

/**
 * SQL of the latest trades of the token `t`, unordered. $2: the limit. Addresses as in chain.trade_rows; each account is
 * read once.
 */
export const latestTrades = `
  with l as materialized (select * from chain.newest_trades(t.id, 9223372036854775807, 0, $2)),
  wallets as materialized (
    select jsonb_object_agg(id, '0x' || encode(address, 'hex')) as of_id from chain.accounts
    where id = any(array(select maker_id from l))
      -- Usually the maker is the recipient and the account.
      or id = any(array(select recipient_id from l where recipient_id <> maker_id))
      or id = any(array(select account_id from l where account_id <> maker_id))
  )
  select '0x' || encode(l.tx_hash, 'hex') as tx_hash, l.log_index, l.block_number, l.block_time, l.is_buy,
    wallets.of_id ->> l.maker_id::text as maker, wallets.of_id ->> l.recipient_id::text as recipient,
    wallets.of_id ->> coalesce(l.account_id, l.maker_id)::text as account,
    coalesce(l.account_source, 'sender') as account_source,
    l.token_amount, l.quote_amount, l.eth_usd
  from l cross join wallets`;

/** Trades that PostgreSQL has, and whether it may lack older ones. */
export type StoredTrades = { trades: TradeRow[]; old: OldRows | null };

/** Lists the latest trades of a token, newest first; null when the token is not indexed. */
export async function readLatestTrades(db: Queryable, address: string, limit: number): Promise<StoredTrades | null> {
  const { rows } = await db.query<(TradeRow | { tx_hash: null }) & { old: OldRows | null }>({
    name: "token-trades",
    text: `
      select r.tx_hash, r.log_index, r.block_number, r.block_time, r.is_buy, r.maker, r.recipient, r.account,
        r.account_source, r.token_amount, r.quote_amount, r.eth_usd, ${selectOldRows} as old
      from chain.tokens t
      left join lateral (${latestTrades}) r on true
      where t.address = $1
      order by r.block_number desc, r.log_index desc`,
    values: [address, limit],
  });
  if (rows.length === 0) return null;
  const trades = rows.flatMap(({ old: _old, ...row }) => (row.tx_hash === null ? [] : [row as TradeRow]));
  return { trades, old: rows[0]!.old };
}
