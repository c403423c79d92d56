-- What changes the assets of a launch's pool, for the feeds (docs/feeds.md). The index is rebuilt once to fill the columns
-- and the table (indexer/sources.ts).

-- Position of the transaction in its block; null in rows of an earlier version.
alter table chain.trades add column tx_index integer;

-- The pool's assets by its own events: paid in by mints, swaps and flash loans, paid out by swaps and collections. An
-- asset that somebody only transfers to the pool does not count: no event of the pool pays it out. Null in rows of an
-- earlier version.
alter table chain.token_state add column reserve_token numeric(78,0), add column reserve_quote numeric(78,0);

create type chain.pool_change as enum ('mint', 'burn', 'collect', 'collect_protocol', 'flash', 'swap');

-- Every change of a pool's liquidity or assets that is no trade, with the assets after it. Also some of the trades, with
-- the kind `swap`: every 32nd of a token. The assets after any trade are those of the preceding row, and the trades since:
-- a trade needs 4 bytes for this table instead of 30 for two columns.
create table chain.pool_changes (
  token_id integer not null,
  log_index integer not null,
  block_number bigint not null,
  block_time bigint not null,
  tx_index integer not null,
  -- The sender of the transaction of a mint or a burn; null for other kinds.
  maker_id integer,
  kind chain.pool_change not null,
  tx_hash bytea not null,
  -- Paid in by a mint or a flash loan, owed by a burn, paid out by a collection. Of a swap, the absolute values.
  token_amount numeric(78,0) not null,
  quote_amount numeric(78,0) not null,
  reserve_token numeric(78,0) not null,
  reserve_quote numeric(78,0) not null,
  primary key (token_id, block_number, log_index)
);
create index pool_changes_block on chain.pool_changes (block_number, log_index);

do $$
declare
  role text;
begin
  for role in select r from unnest(array['slipway_api', 'slipway_indexer']) r join pg_roles on rolname = r loop
    execute format('grant select on chain.pool_changes to %I', role);
  end loop;
  if exists (select from pg_roles where rolname = 'slipway_indexer') then
    grant insert, update, delete, truncate on chain.pool_changes to slipway_indexer;
  end if;
end $$;

-- As in 0042, with an index by block: an ordered partition has the trades of a block on many pages, and the feeds read
-- blocks. The open partition is in block order already.
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
  execute format('alter table chain.%I add primary key (token_id, block_number, log_index) with (fillfactor = 100)',
    ordered_name);
  execute format('create index on chain.%I using hash (tx_hash) with (fillfactor = 100)', ordered_name);
  execute format('create index on chain.%I (account_id, block_number, log_index) include (token_id, is_buy, maker_id)
    with (fillfactor = 100)', ordered_name);
  execute format('create index on chain.%I (maker_id, block_number, log_index) include (token_id, is_buy)
    with (fillfactor = 100) where account_id is distinct from maker_id', ordered_name);
  execute format('create index on chain.%I using brin (block_number) with (pages_per_range = 32, autosummarize = on)',
    ordered_name);
  execute format('create index on chain.%I (block_number) with (fillfactor = 100)', ordered_name);
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
