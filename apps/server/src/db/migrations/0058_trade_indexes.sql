-- Smaller indexes for trades, and one that keeps the newest trades of a token together.

-- The trades of a token in the open partition are on a page each, because rows are in block order. This index contains
-- all columns, so a page of trades is read from it alone. A column that is added later is in the index of the next open
-- partition; until then, rows are read from the table.
create function chain.index_open_trades(id integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create unique index on chain.%I (token_id, block_number, log_index) include (%s)', 'trades_' || id, (
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
    where a.attrelid = 'chain.trades'::regclass and a.attnum > 0 and not a.attisdropped
      and a.attname not in ('token_id', 'block_number', 'log_index')));
end $$;

-- In other partitions, the rows are in the order of the token: an index of the block is enough. The index of hashes is that
-- of chain.trades, without room for changes.
create function chain.index_ordered_trades(id integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create index on chain.%I (token_id, block_number) with (fillfactor = 100)', 'trades_' || id);
  execute format('create index on chain.%I (((get_byte(tx_hash, 0) << 10) | (get_byte(tx_hash, 1) << 2)
    | (get_byte(tx_hash, 2) >> 6))) with (fillfactor = 100)', 'trades_' || id);
end $$;

do $$
declare
  p chain.trade_partitions;
begin
  for p in select * from chain.trade_partitions loop
    if p.to_block is null then
      perform chain.index_open_trades(p.id);
      -- Rows that no vacuum has visited are read from the table.
      execute format('alter table chain.%I set (autovacuum_vacuum_insert_scale_factor = 0,
        autovacuum_vacuum_insert_threshold = 1000)', 'trades_' || p.id);
    else
      perform chain.index_ordered_trades(p.id);
    end if;
  end loop;
end $$;

-- 18 bits of a transaction's hash. A B-tree index stores equal values once, with 6 bytes for each trade: a third of an index
-- of whole hashes. A search by hash reads the trades with its bits: 4 of a million trades, 61 of the largest partition. The
-- expression names no function of this schema, because the tables of a rebuilt index come from another schema.
create index trades_hash on chain.trades
  (((get_byte(tx_hash, 0) << 10) | (get_byte(tx_hash, 1) << 2) | (get_byte(tx_hash, 2) >> 6)));
drop index chain.trades_tx;

-- The open partition has the unique index. chain.order_trades compares its copies.
alter table chain.trades drop constraint trades_pkey;

create or replace function chain.create_trades(from_block bigint, to_block bigint) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  new_id integer;
begin
  insert into chain.trade_partitions (from_block, to_block) values (from_block, to_block) returning id into new_id;
  execute format(
    'create table chain.%I (like chain.trades including defaults, constraint in_range check (block_number >= %s%s))
     with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000)',
    'trades_' || new_id, from_block, ' and block_number < ' || to_block);
  if to_block is null then
    perform chain.index_open_trades(new_id);
  end if;
  return new_id;
end $$;

-- chain.order_trades builds these indexes instead of a key and an index of whole hashes; the rest of it stays.
do $$
declare
  definition text := pg_get_functiondef('chain.order_trades(bigint, bigint, bigint)'::regprocedure);
  key constant text := $key$  execute format('alter table chain.%I add primary key (token_id, block_number, log_index) with (fillfactor = 100)',
    ordered_name);
$key$;
  hash constant text := $hash$  execute format('create index on chain.%I using hash (tx_hash) with (fillfactor = 100)', ordered_name);
$hash$;
begin
  if position(key in definition) = 0 or position(hash in definition) = 0 then
    raise exception 'chain.order_trades is another one than expected';
  end if;
  execute replace(replace(definition, key, '  perform chain.index_ordered_trades(ordered);' || chr(10)), hash, '');
end $$;

-- A row of chain.trades, in the columns of this version. A type of its own, because the table can be exchanged by a rebuild.
create type chain.trade as (
  token_id integer, log_index integer, block_number bigint, block_time bigint, pool_price double precision,
  eth_usd double precision, maker_id integer, recipient_id integer, is_buy boolean, tx_hash bytea, token_amount numeric,
  quote_amount numeric, account_id integer, account_source chain.account_source
);

-- The trades of a token before a place on the chain, newest first. The settings force one plan, whatever the planner
-- estimates: each partition is read in the order of its index, the newest one first, until the limit is reached.
create function chain.newest_trades(for_token integer, before_block bigint, before_log_index integer, max_trades bigint)
returns setof chain.trade
language plpgsql stable rows 300 set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query
    select t.token_id, t.log_index, t.block_number, t.block_time, t.pool_price, t.eth_usd, t.maker_id, t.recipient_id,
      t.is_buy, t.tx_hash, t.token_amount, t.quote_amount, t.account_id, t.account_source
    from chain.trades t
    where t.token_id = for_token and t.block_number <= before_block
      and (t.block_number, t.log_index) < (before_block, before_log_index)
    order by t.block_number desc, t.log_index desc limit max_trades;
end $$;
