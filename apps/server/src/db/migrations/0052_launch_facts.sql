-- Figures about the conduct of a launch's creator and first buyers (docs/api.md, Facts of a launch). The indexer keeps
-- them, so that no request reads the trades or the holders of a token. The index is rebuilt once to fill them
-- (indexer/sources.ts).

-- Number of launches of this creator before this one; null in rows of an earlier version.
alter table chain.tokens add column creator_launches integer;
create index tokens_creator_newest on chain.tokens (creator, block_number desc, log_index desc);

-- Null in rows of an index of the rules before, which is followed until it is rebuilt: unknown.
alter table chain.token_state
  -- Sums of the token's transfers to and from its creator.
  add column creator_received numeric(120,0),
  add column creator_sent numeric(120,0),
  -- Sums of the trades whose account is the creator, in tokens.
  add column creator_bought numeric(120,0),
  add column creator_sold numeric(120,0),
  -- Tokens in all trades, buys and sells.
  add column traded numeric(120,0),
  -- Twice the smaller of the tokens that an account bought and sold in a block, or in 300 seconds (from a multiple of 300
  -- since 1970 on); the sum of all accounts.
  add column round_trips_block numeric(120,0),
  add column round_trips_300s numeric(120,0),
  -- Holders that never bought the token.
  add column holders_without_buy integer;
-- Only rows that are inserted from now on have the default.
alter table chain.token_state
  alter column creator_received set default 0,
  alter column creator_sent set default 0,
  alter column creator_bought set default 0,
  alter column creator_sold set default 0,
  alter column traded set default 0,
  alter column round_trips_block set default 0,
  alter column round_trips_300s set default 0,
  alter column holders_without_buy set default 0;

-- Block of the account's first buy of the token; null without one.
alter table chain.traders add column first_buy_block bigint;

-- Accounts that bought a token in its first 10 blocks or its first 60 seconds, and the tokens that they bought in each
-- window: the launch's transaction, its block, the first 3 and 10 blocks from the launch's block on, the first 60 seconds.
create table chain.first_buyers (
  token_id integer not null,
  account_id integer not null,
  bought_tx numeric(78,0) not null,
  bought_block numeric(78,0) not null,
  bought_3_blocks numeric(78,0) not null,
  bought_10_blocks numeric(78,0) not null,
  bought_60s numeric(78,0) not null,
  primary key (token_id, account_id)
);
create index first_buyers_largest on chain.first_buyers (token_id, (greatest(bought_10_blocks, bought_60s)) desc);

-- Sums of chain.first_buyers: tokens bought, accounts, and tokens that these accounts still hold (the smaller of balance
-- and bought amount, by account).
create table chain.first_buys (
  token_id integer primary key,
  bought_tx numeric(78,0) not null,
  bought_block numeric(78,0) not null,
  bought_3_blocks numeric(78,0) not null,
  bought_10_blocks numeric(78,0) not null,
  bought_60s numeric(78,0) not null,
  buyers_tx integer not null,
  buyers_block integer not null,
  buyers_3_blocks integer not null,
  buyers_10_blocks integer not null,
  buyers_60s integer not null,
  held_tx numeric(78,0) not null,
  held_block numeric(78,0) not null,
  held_3_blocks numeric(78,0) not null,
  held_10_blocks numeric(78,0) not null,
  held_60s numeric(78,0) not null
);

-- Accounts to which a creator transferred tokens of a launch of its own, each with the first transfer.
create table chain.creator_transfers (
  creator_id integer not null,
  account_id integer not null,
  token_id integer not null,
  block_number bigint not null,
  log_index integer not null,
  primary key (creator_id, account_id)
);
create index creator_transfers_block on chain.creator_transfers (block_number);

do $$
declare
  role text;
begin
  for role in select r from unnest(array['slipway_api', 'slipway_indexer']) r join pg_roles on rolname = r loop
    execute format('grant select on chain.first_buyers, chain.first_buys, chain.creator_transfers to %I', role);
  end loop;
  if exists (select from pg_roles where rolname = 'slipway_indexer') then
    grant insert, update, delete, truncate on chain.first_buyers, chain.first_buys, chain.creator_transfers
      to slipway_indexer;
  end if;
end $$;
