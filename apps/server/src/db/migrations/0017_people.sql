-- What the index knows of wallets: their trades, their profit by average cost, and what splitters received for their payees.

-- The cost basis of a maker in a token, from its trades alone, and the profit that its sells realized
-- (indexer/reduce/costBasis.ts). Amounts in base units, USD in micro-USD. The row of token_id 0 has the profit of all
-- tokens and no cost. Null: unknown; held and the columns of native are null only in rows of an earlier version.
alter table chain.traders
  add column held numeric(120,0),
  add column cost_quote numeric(120,0),
  add column cost_usd numeric(120,0),
  add column realized_quote numeric(120,0),
  add column realized_usd numeric(120,0);

-- A maker's trades, newest last; a filter by token or side is answered by the index alone.
create index trades_maker on chain.trades (maker_id, block_number, log_index) include (token_id, is_buy);
-- Where the trade with an id is on the chain.
create index trades_tx on chain.trades using hash (tx_hash);

-- Pages of a token's holders, and of a wallet's holdings. They replace indexes without an order among equals.
create index balances_holders on chain.balances (token_id, balance, account_id);
drop index chain.balances_top;
create index balances_wallet on chain.balances (account_id, token_id);
drop index chain.balances_account;

-- The same with an order among equals.
drop index chain.tokens_creator;
create index tokens_creator on chain.tokens (creator, id);
drop index chain.tokens_splitter;
create index tokens_splitter on chain.tokens (splitter, id);
drop index chain.splitter_payees_payee;
create index splitter_payees_payee on chain.splitter_payees (payee, block_number, splitter);

-- What lockers paid to splitters: settled parts, less those whose payment failed, and these once they are paid. Other
-- parties can be owed too; they have rows that nothing reads.
create table chain.splitter_receipts (
  block_number bigint not null,
  log_index integer not null,
  splitter text not null,
  asset text not null,
  -- Negative: settled and owed by the locker.
  amount numeric(79,0) not null,
  primary key (block_number, log_index)
);

-- Sums of splitter_receipts, and of the releases among splitter_events. A sum can be zero.
create table chain.splitter_received (
  splitter text not null,
  asset text not null,
  amount numeric(120,0) not null,
  primary key (splitter, asset)
);
create table chain.splitter_released (
  splitter text not null,
  payee text not null,
  asset text not null,
  amount numeric(120,0) not null,
  primary key (splitter, payee, asset)
);

-- Kept by triggers, so that they are right whatever writes the events: a batch, undoing one, a copy.
create function chain.sum_splitter_receipts() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from chain.splitter_received;
    return null;
  end if;
  insert into chain.splitter_received as s (splitter, asset, amount)
  select splitter, asset, case tg_op when 'DELETE' then -sum(amount) else sum(amount) end from changed_rows group by 1, 2
  on conflict (splitter, asset) do update set amount = s.amount + excluded.amount;
  return null;
end $$;
create trigger splitter_receipts_inserted after insert on chain.splitter_receipts
  referencing new table as changed_rows for each statement execute function chain.sum_splitter_receipts();
create trigger splitter_receipts_deleted after delete on chain.splitter_receipts
  referencing old table as changed_rows for each statement execute function chain.sum_splitter_receipts();
create trigger splitter_receipts_truncated after truncate on chain.splitter_receipts
  for each statement execute function chain.sum_splitter_receipts();

create function chain.sum_splitter_releases() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from chain.splitter_released;
    return null;
  end if;
  insert into chain.splitter_released as s (splitter, payee, asset, amount)
  select splitter, account, asset, case tg_op when 'DELETE' then -sum(amount) else sum(amount) end
  from changed_rows where kind = 'released' group by 1, 2, 3
  on conflict (splitter, payee, asset) do update set amount = s.amount + excluded.amount;
  return null;
end $$;
create trigger splitter_events_inserted after insert on chain.splitter_events
  referencing new table as changed_rows for each statement execute function chain.sum_splitter_releases();
create trigger splitter_events_deleted after delete on chain.splitter_events
  referencing old table as changed_rows for each statement execute function chain.sum_splitter_releases();
create trigger splitter_events_truncated after truncate on chain.splitter_events
  for each statement execute function chain.sum_splitter_releases();

insert into chain.splitter_released (splitter, payee, asset, amount)
select splitter, account, asset, sum(amount) from chain.splitter_events where kind = 'released' group by 1, 2, 3;

-- The wallet that the account chose to be found by its proven handles; at most one. It ends with its link.
alter table app.wallets add column is_payout boolean not null default false;
create unique index wallets_payout on app.wallets (user_id) where is_payout;
