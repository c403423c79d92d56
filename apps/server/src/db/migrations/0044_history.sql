-- Old trades and candles can be in another store, the history engine (docs/history.md). PostgreSQL remembers how far the
-- engine has them, and how far PostgreSQL itself may lack them. A rebuild of the index empties both tables.

create table chain.history (
  only_row boolean primary key default true check (only_row),
  -- Part of the names of the engine's tables, because a rebuilt index has other ids.
  generation text not null check (generation ~ '^[0-9a-f]{12}$'),
  -- The engine has, compared with PostgreSQL, every trade up to the block and every candle that ends up to the time.
  copied_block bigint not null default 0,
  copied_time bigint not null default 0,
  -- PostgreSQL may lack trades up to the block, and candles that start up to the time; 0: it has all.
  detached_block bigint not null default 0,
  detached_time bigint not null default 0,
  -- A candle of a day begins up to a day before a trade.
  check (detached_block <= copied_block and (detached_block = 0 or detached_time + 86400 <= copied_time))
);

-- The copied ranges with digests of their rows (history/engine/table.ts): the engine is compared with them also after
-- PostgreSQL no longer has the rows. Trades of blocks after after_block, and candles that end after after_time.
create table chain.history_ranges (
  after_block bigint primary key,
  to_block bigint not null,
  -- Block times of the first and last trade; null without trades.
  first_time bigint,
  last_time bigint,
  after_time bigint not null,
  to_time bigint not null,
  trades bigint not null,
  trades_hash numeric(20,0) not null,
  candles bigint not null,
  candles_hash numeric(20,0) not null,
  copied_at timestamptz not null default now()
);

-- Records that PostgreSQL no longer has the trades up to a block, whose last trade has this time. Call it in the transaction
-- that removes them. False: the engine does not have them and their candles yet, so they must stay. Without an engine, it
-- records nothing: the trades are then gone.
create function chain.record_detached(last_block bigint, last_time bigint) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from chain.history where copied_block > 0) then
    return true;
  end if;
  update chain.history
    set detached_block = greatest(detached_block, last_block), detached_time = greatest(detached_time, last_time)
    where copied_block >= last_block and copied_time >= last_time + 86400;
  return found;
end $$;
