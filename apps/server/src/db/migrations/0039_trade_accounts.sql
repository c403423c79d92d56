-- Who traded: a transaction's sender can be a relayer, a bundler or the sender of a contract wallet. The index is
-- rebuilt once to fill the columns (indexer/sources.ts); null in rows of an earlier version.

-- How the account was found: by the launch token's transfers in the transaction, by the user operation of an ERC-4337
-- EntryPoint, or not at all, so that the account is the transaction's sender.
create type chain.account_source as enum ('transfers', 'user_operation', 'sender');

alter table chain.trades
  add column account_id integer,
  add column account_source chain.account_source;

-- An account's trades, newest last; a filter by token, side or maker is answered by the index alone.
create index trades_account on chain.trades (account_id, block_number, log_index) include (token_id, is_buy, maker_id);

create or replace view chain.trade_rows as
  select t.token_id, t.block_number, t.log_index, t.block_time, t.is_buy, t.token_amount, t.quote_amount,
    t.pool_price, t.eth_usd,
    '0x' || encode(t.tx_hash, 'hex') as tx_hash,
    '0x' || encode(m.address, 'hex') as maker,
    '0x' || encode(r.address, 'hex') as recipient,
    '0x' || encode(a.address, 'hex') as account,
    t.account_source
  from chain.trades t
  left join chain.accounts m on m.id = t.maker_id
  left join chain.accounts r on r.id = t.recipient_id
  left join chain.accounts a on a.id = coalesce(t.account_id, t.maker_id);
