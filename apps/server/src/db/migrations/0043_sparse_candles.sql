-- Most candles contain one to three trades, and follow from these trades. Such candles of final days are not stored:
-- chain.thin_candles deletes a candle only if chain.derive_candles returns the same row. chain.token_candles returns
-- stored and derived candles; statements that read older candles than those of the last 24 hours use it.

-- One row: candles that start before `below_time` are sparse. All later candles are stored.
create table chain.sparse_candles (
  only_row boolean primary key default true check (only_row),
  below_time bigint not null
);
insert into chain.sparse_candles (below_time) values (0);

-- The block of the first event of a minute; null in rows of an earlier version, and in the row of all time. Maps times to
-- blocks, because trades are indexed by block.
alter table chain.totals add column first_block bigint;
update chain.totals m set first_block = b.first_block
from (select block_time - block_time % 60 as t, min(block_number) as first_block from chain.trades group by 1) b
where m.seconds = 60 and m.t = b.t;

do $$
declare
  role text;
begin
  for role in select r from unnest(array['slipway_api', 'slipway_indexer']) r join pg_roles on rolname = r loop
    execute format('grant select on chain.sparse_candles to %I', role);
  end loop;
end $$;

-- A row of chain.candles, in the columns of this version.
create type chain.candle as (
  token_id integer, seconds integer, t bigint,
  o double precision, h double precision, l double precision, c double precision,
  o_usd double precision, h_usd double precision, l_usd double precision, c_usd double precision,
  n integer, buys integer, vq numeric, v numeric
);

-- The candles of a token that follow from its trades with from_time <= block time < below_time, newest first. Both times
-- are multiples of `length`, in seconds. With `max_candles`, it reads as many trades and a few more, and returns the
-- newest candles of these: at least one if there is a trade, because a candle that is not stored has at most three.
--
-- Equals reduce/addTrade.ts: `o` is the price after the preceding trade, or the start price; a USD price is null when
-- ETH/USD is unknown at the open or at a trade; v is the sum of usdMicros (packages/protocol/src/price.ts).
create function chain.derive_candles(
  for_token integer, length integer, from_time bigint, below_time bigint, max_candles bigint
) returns setof chain.candle
language sql stable set search_path = pg_catalog, pg_temp as $$
  with x as materialized (
    select r.block_number, r.log_index, r.block_time - r.block_time % length as t, r.pool_price as price,
      r.pool_price * r.eth_usd as usd, r.is_buy, r.quote_amount,
      -- Math.round(eth_usd * 1e8), exact.
      (floor(r.eth_usd * 1e8) + case when r.eth_usd * 1e8 - floor(r.eth_usd * 1e8) >= 0.5 then 1 else 0 end)::bigint::numeric
        as eth_usd_units
    from chain.trades r
    where r.token_id = for_token
      and r.block_number >= coalesce(
        (select m.first_block from chain.totals m
         where m.seconds = 60 and m.t <= from_time and m.first_block is not null order by m.t desc limit 1), 0)
      and r.block_number < coalesce(
        (select m.first_block from chain.totals m
         where m.seconds = 60 and m.t >= below_time and m.first_block is not null order by m.t limit 1),
        9223372036854775807)
      and r.block_time >= from_time and r.block_time < below_time
    order by r.block_number desc, r.log_index desc
    limit max_candles + 4
  ),
  oldest as materialized (select x.block_number, x.log_index, x.t from x order by x.block_number, x.log_index limit 1),
  -- The price before the oldest trade. Trades before it can have been detached; their candles are then stored.
  traded as materialized (
    select r.pool_price as price, r.pool_price * r.eth_usd as usd from chain.trades r
    where r.token_id = for_token
      and (r.block_number, r.log_index) < ((select o.block_number from oldest o), (select o.log_index from oldest o))
    order by r.block_number desc, r.log_index desc limit 1
  ),
  kept as materialized (
    select k.c as price, k.c_usd as usd from chain.candles k
    where not exists (select from traded) and k.token_id = for_token and k.seconds = 60
      and k.t < (select o.t from oldest o)
    order by k.t desc limit 1
  ),
  opening as materialized (
    select * from traded
    union all
    select * from kept
    union all
    select k.start_price, k.start_price * k.start_eth_usd from chain.tokens k
    where k.id = for_token and not exists (select from traded) and not exists (select from kept)
  ),
  y as (
    select x.*, lag(x.t) over chain is null as is_oldest,
      lag(x.price) over chain as before_price, lag(x.usd) over chain as before_usd,
      lag(x.t) over chain is distinct from x.t as is_first, lead(x.t) over chain is distinct from x.t as is_last
    from x
    window chain as (order by x.block_number, x.log_index)
  ),
  z as (
    select y.t, count(*)::integer as n, count(*) filter (where y.is_buy)::integer as buys, sum(y.quote_amount) as vq,
      case when bool_and(y.eth_usd_units is not null)
        then sum(div(y.quote_amount * y.eth_usd_units, 100000000000000000000)) end as v,
      max(case when y.is_oldest then opening.price else y.before_price end) filter (where y.is_first) as o,
      max(y.price) as h, min(y.price) as l, max(y.price) filter (where y.is_last) as c,
      max(case when y.is_oldest then opening.usd else y.before_usd end) filter (where y.is_first) as o_usd,
      max(y.usd) as h_usd, min(y.usd) as l_usd, max(y.usd) filter (where y.is_last) as c_usd
    from y cross join opening
    group by y.t
  )
  select for_token, length, z.t, z.o, greatest(z.h, z.o), least(z.l, z.o), z.c,
    case when k.is_known then z.o_usd end, case when k.is_known then greatest(z.h_usd, z.o_usd) end,
    case when k.is_known then least(z.l_usd, z.o_usd) end, case when k.is_known then z.c_usd end,
    z.n, z.buys, z.vq, z.v
  from z cross join lateral (select z.v is not null and z.o_usd is not null as is_known) k
  -- With as many trades as the limit, the first candle can lack trades.
  where max_candles is null or (select count(*) from x) < max_candles + 4 or z.t > (select t from oldest)
  order by z.t desc
  limit max_candles
$$;

-- As chain.derive_candles, until no trade remains or `max_candles` candles were found.
create function chain.derive_gap(
  for_token integer, length integer, from_time bigint, below_time bigint, max_candles bigint
) returns setof chain.candle
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  missing bigint := max_candles;
  position bigint := below_time;
  part chain.candle[];
begin
  while missing > 0 and position > from_time loop
    part := array(select d from chain.derive_candles(for_token, length, from_time, position, missing) d);
    exit when cardinality(part) = 0;
    return query select * from unnest(part);
    missing := missing - cardinality(part);
    position := part[cardinality(part)].t;
  end loop;
end $$;

-- The candles of a token with from_time <= t < before_time, newest first, at most `max_candles`.
create function chain.token_candles(
  for_token integer, length integer, from_time bigint, before_time bigint, max_candles bigint
) returns setof chain.candle
language plpgsql stable rows 300 set search_path = pg_catalog, pg_temp as $$
declare
  sparse_below constant bigint := coalesce((select s.below_time from chain.sparse_candles s), 0);
  first_t constant bigint := (greatest(from_time, 0) + length - 1) / length * length;
  -- Candles from here on are in the result.
  position bigint := (least(before_time, 100000000000) + length - 1) / length * length;
  missing bigint := max_candles;
  stored chain.candle;
  found bigint;
begin
  return query
    -- The index yields the end of the page, a bitmap scan with prefetching reads it; as latestTrades.
    with oldest as materialized (
      select k.token_id, k.seconds, k.t from chain.candles k
      where k.token_id = for_token and k.seconds = length and k.t < position and k.t >= greatest(first_t, sparse_below)
      order by k.t desc offset missing - 1 limit 1
    )
    select k.token_id, k.seconds, k.t, k.o, k.h, k.l, k.c, k.o_usd, k.h_usd, k.l_usd, k.c_usd, k.n, k.buys, k.vq, k.v
    from chain.candles k
    where (k.token_id = for_token and k.seconds = length and k.t < position
        and k.t >= greatest(first_t, sparse_below, (select r.t + 1 from oldest r)))
      or (k.token_id = (select r.token_id from oldest r) and k.seconds = (select r.seconds from oldest r)
        and k.t = (select r.t from oldest r))
    order by k.t desc;
  get diagnostics found = row_count;
  missing := missing - found;
  position := least(position, sparse_below);
  if missing = 0 or position <= first_t then
    return;
  end if;
  for stored in
    select k.token_id, k.seconds, k.t, k.o, k.h, k.l, k.c, k.o_usd, k.h_usd, k.l_usd, k.c_usd, k.n, k.buys, k.vq, k.v
    from chain.candles k
    where k.token_id = for_token and k.seconds = length and k.t < position and k.t >= first_t
    order by k.t desc limit missing
  loop
    if stored.t + length < position then
      return query select * from chain.derive_gap(for_token, length, stored.t + length, position, missing);
      get diagnostics found = row_count;
      missing := missing - found;
    end if;
    exit when missing = 0;
    return next stored;
    missing := missing - 1;
    position := stored.t;
  end loop;
  if missing > 0 then
    return query select * from chain.derive_gap(for_token, length, first_t, position, missing);
  end if;
end $$;

-- Deletes the candles of final days that chain.token_candles derives from at most three trades. Candles of the last 24
-- hours and of the reorg window stay. Returns the number of deleted candles; 0 while another process holds the lock.
create function chain.thin_candles() returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  from_time bigint;
  final_time bigint;
  deleted bigint;
begin
  if not pg_try_advisory_xact_lock(7416033590) then
    return 0;
  end if;
  select s.below_time into from_time from chain.sparse_candles s;
  select least((select min(h.block_time) from chain.headers h), p.block_time - p.block_time % 60 - 86400)
  into final_time from chain.checkpoint p;
  final_time := final_time - final_time % 86400;
  if final_time is null or final_time <= from_time then
    return 0;
  end if;
  delete from chain.candles k
  using chain.token_state s
    cross join (values (60), (300), (3600), (86400)) lengths(seconds)
    cross join lateral chain.derive_candles(s.token_id, lengths.seconds, from_time, final_time, null) d
  where s.last_trade_time >= from_time and d.n < 4
    and k.token_id = d.token_id and k.seconds = d.seconds and k.t = d.t
    and (k.o, k.h, k.l, k.c, k.n, k.buys, k.vq) = (d.o, d.h, d.l, d.c, d.n, d.buys, d.vq)
    and (k.o_usd, k.h_usd, k.l_usd, k.c_usd, k.v) is not distinct from (d.o_usd, d.h_usd, d.l_usd, d.c_usd, d.v);
  get diagnostics deleted = row_count;
  update chain.sparse_candles set below_time = final_time;
  return deleted;
end $$;

-- Closed bars of a pool with from_time <= time <= last_time, newest first. The volume in tokens is the volume in wrapped
-- native at the bar's mean price. The view chain.pool_bars serves earlier versions.
create function chain.read_pool_bars(
  for_token text, length integer, from_time bigint, last_time bigint, max_bars bigint
) returns table (
  "time" bigint, open double precision, high double precision, low double precision, close double precision,
  volume double precision, quote_volume double precision, trades integer
)
language sql stable rows 300 set search_path = pg_catalog, pg_temp as $$
  select c.t, c.o, c.h, c.l, c.c, c.vq::double precision / 1e18 / ((c.o + c.h + c.l + c.c) / 4),
    c.vq::double precision / 1e18, c.n
  from chain.tokens t
  cross join chain.checkpoint p
  cross join lateral chain.token_candles(t.id, length, from_time, least(last_time, p.block_time - length) + 1, max_bars) c
  where t.address = for_token and c.l > 0 and c.h < 'Infinity'
$$;
