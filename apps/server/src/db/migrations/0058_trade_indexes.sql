-- Smaller indexes for trades, and one that keeps the newest trades of a token together.

-- 18 bits of a transaction's hash. A B-tree index stores equal values once, with 6 bytes for each trade: a third of an index
-- of whole hashes. A search by hash reads the trades with its bits: 4 of a million trades, 61 of the largest partition. The
-- expression names no function of this schema, because the tables of a rebuilt index come from another schema.
create index trades_hash on chain.trades
  (((get_byte(tx_hash, 0) << 10) | (get_byte(tx_hash, 1) << 2) | (get_byte(tx_hash, 2) >> 6)));
drop index chain.trades_tx;

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

-- In other partitions, the rows are in the order of the token: an index of the block is enough.
create function chain.index_ordered_trades(id integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('create index on chain.%I (token_id, block_number) with (fillfactor = 100)', 'trades_' || id);
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

-- Moves the open partition's trades below `final_block` into a partition in the order (token, block, log index). Merges
-- preceding partitions that are at most twice as large, up to `max_trades` together: sizes then grow geometrically from
-- the newest to the oldest partition, and the trades of a token are in few partitions.
--
-- One transaction: a reader sees either the old or the new partitions, and a failure leaves the old ones. Reads and
-- writes continue while rows are copied; they wait only while the tables are exchanged.
--
-- Returns the number of ordered trades; 0 with fewer than `min_trades` final trades, or while another process orders.
create or replace function chain.order_trades(final_block bigint, min_trades bigint, max_trades bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set work_mem = '128MB'
set maintenance_work_mem = '128MB' as $$
declare
  old chain.trade_partitions;
  sources integer[];
  total bigint;
  first_block bigint;
  source integer;
  ordered integer;
  ordered_name text;
  opened integer;
  row_hash constant text := 'select count(*), bit_xor(hash_record_extended(t, 0)) from chain.%I t where t.block_number < %s';
  part_count bigint;
  part_hash bigint;
  expected_count bigint := 0;
  expected_hash bigint := 0;
begin
  if not pg_try_advisory_xact_lock(7416033590) then
    return 0;
  end if;
  select * into strict old from chain.trade_partitions p where p.to_block is null;
  if final_block <= old.from_block then
    return 0;
  end if;
  execute format('select count(*) from chain.%I where block_number < %s', 'trades_' || old.id, final_block) into total;
  if total < min_trades then
    return 0;
  end if;
  sources := array[old.id];
  first_block := old.from_block;
  for old in select * from chain.trade_partitions p where p.to_block is not null order by p.from_block desc loop
    exit when old.trades > 2 * total or old.trades + total > max_trades;
    sources := sources || old.id;
    first_block := old.from_block;
    total := total + old.trades;
  end loop;
  foreach source in array sources loop
    -- Keeps vacuum away, which the exchange would have to wait for.
    execute format('lock table chain.%I in share update exclusive mode', 'trades_' || source);
  end loop;

  ordered := chain.create_trades(first_block, final_block);
  ordered_name := 'trades_' || ordered;
  execute format('insert into chain.%I select * from chain.trades where block_number >= %s and block_number < %s
    order by token_id, block_number, log_index', ordered_name, first_block, final_block);
  foreach source in array sources loop
    execute format(row_hash, 'trades_' || source, final_block) into part_count, part_hash;
    expected_count := expected_count + part_count;
    expected_hash := expected_hash # coalesce(part_hash, 0);
  end loop;
  execute format(row_hash, ordered_name, final_block) into part_count, part_hash;
  if part_count <> expected_count or coalesce(part_hash, 0) <> expected_hash then
    raise exception 'the ordered copy of blocks % to % differs: % of % trades', first_block, final_block - 1, part_count,
      expected_count;
  end if;
  perform chain.index_ordered_trades(ordered);
  execute format('create index on chain.%I (((get_byte(tx_hash, 0) << 10) | (get_byte(tx_hash, 1) << 2)
    | (get_byte(tx_hash, 2) >> 6))) with (fillfactor = 100)', ordered_name);
  execute format('create index on chain.%I (account_id, block_number, log_index) include (token_id, is_buy, maker_id)
    with (fillfactor = 100)', ordered_name);
  execute format('create index on chain.%I (maker_id, block_number, log_index) include (token_id, is_buy)
    with (fillfactor = 100) where account_id is distinct from maker_id', ordered_name);
  execute format('create index on chain.%I using brin (block_number) with (pages_per_range = 32, autosummarize = on)',
    ordered_name);
  execute format('analyze chain.%I', ordered_name);
  execute format('update chain.trade_partitions p set trades = $2, ordered_at = now(), (first_time, last_time) =
    (select min(t.block_time), max(t.block_time) from chain.%I t) where p.id = $1', ordered_name)
    using ordered, part_count;

  perform chain.lock_trades();
  if final_block > (select min(h.block_number) from chain.headers h) then
    raise exception 'blocks below % are not final', final_block;
  end if;
  foreach source in array sources loop
    execute format('alter table chain.trades detach partition chain.%I', 'trades_' || source);
  end loop;
  delete from chain.trade_partitions p where p.id = any (sources);
  perform chain.attach_trades(ordered, first_block, final_block);
  opened := chain.create_trades(final_block, null);
  execute format('insert into chain.%I select * from chain.%I where block_number >= %s order by block_number, log_index',
    'trades_' || opened, 'trades_' || sources[1], final_block);
  perform chain.attach_trades(opened, final_block, null);
  foreach source in array sources loop
    execute format('drop table chain.%I', 'trades_' || source);
  end loop;
  return part_count;
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
