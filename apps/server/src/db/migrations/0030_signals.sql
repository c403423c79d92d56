-- Signals of strategies at the closes of hours, how they ended, and the records of strategies by market.

-- A signal is said once for a market, a strategy and a bar. It is never changed and never deleted: only its end is added,
-- once. `live`: published when its bar closed. `history`: computed later from stored bars, and never published live.
create table app.signals (
  -- sg_ and 24 hex digits of the SHA-256 of pair, strategy, version and close.
  id text primary key,
  market_id integer not null references app.markets,
  pair text not null,
  -- The launch token of a pool, lower case.
  token text,
  strategy text not null,
  strategy_version integer not null,
  direction text not null check (direction in ('long', 'short', 'flat')),
  origin text not null check (origin in ('live', 'history')),
  -- Unix seconds: the close of the bar, and when it was computed.
  closed_at bigint not null,
  generated_at bigint not null,
  price double precision not null check (price > 0 and price < 'Infinity'),
  stop_loss double precision not null,
  take_profit double precision not null,
  -- Fractions: of entry and exit together, and the estimated spread and price impact in it.
  cost double precision not null check (cost >= 0 and cost < 'Infinity'),
  spread double precision not null,
  impact double precision not null,
  indicators jsonb not null,
  -- The frequency of hits that was published with it; null: too little was known.
  confidence double precision check (confidence between 0 and 1),
  -- How it ended; all null while it is open.
  outcome text check (outcome in ('hit', 'miss')),
  exit_reason text check (exit_reason in ('stop_loss', 'take_profit', 'time_limit')),
  entry_price double precision,
  exit_price double precision,
  -- After costs, as a fraction.
  net_return double precision,
  -- Unix seconds: the close of the bar in which it ended.
  resolved_at bigint,
  unique (market_id, strategy, strategy_version, closed_at),
  check (generated_at >= closed_at and (resolved_at is null or resolved_at > closed_at)),
  check (num_nulls(outcome, exit_reason, entry_price, exit_price, net_return, resolved_at) in (0, 6))
);
create index signals_newest on app.signals (closed_at desc, id desc);
create index signals_of_pair on app.signals (pair, closed_at desc, id desc);
create index signals_of_strategy on app.signals (strategy, closed_at desc, id desc);
create index signals_of_direction on app.signals (direction, closed_at desc, id desc);
create index signals_open on app.signals (closed_at desc, id desc) where outcome is null;

create function app.protect_signal() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.outcome is null then
    if to_jsonb(new) - array['outcome', 'exit_reason', 'entry_price', 'exit_price', 'net_return', 'resolved_at']
      = to_jsonb(old) - array['outcome', 'exit_reason', 'entry_price', 'exit_price', 'net_return', 'resolved_at'] then
      return new;
    end if;
  end if;
  raise exception 'a signal is never edited or withdrawn';
end $$;
create trigger signals_never_edited before update or delete on app.signals
  for each row execute function app.protect_signal();
create trigger signals_never_emptied before truncate on app.signals
  for each statement execute function app.protect_signal();

-- Up to which close the bars of a market were evaluated by a strategy.
create table app.signal_progress (
  market_id integer not null references app.markets,
  strategy text not null,
  strategy_version integer not null,
  through bigint not null,
  primary key (market_id, strategy, strategy_version)
);

-- What is known of a strategy on a market, from its resolved signals.
create table app.signal_records (
  market_id integer not null references app.markets,
  strategy text not null,
  strategy_version integer not null,
  pair text not null,
  resolved integer not null,
  skill text not null check (skill in ('none', 'unproven', 'positive')),
  -- As answers show it; null below 30 resolved signals.
  track_record jsonb,
  bins jsonb not null,
  computed_at bigint not null,
  primary key (market_id, strategy, strategy_version)
);

-- The outbox row of a live signal, in the transaction that stores it. The server's role may not write chain.*, so this
-- runs as the owner, and publishes nothing but the row. Readers of the outbox take ids in order: the lock lets no other
-- writer commit an earlier id after this one (the indexer's inserts wait for it, and it waits for them).
create function app.publish_signal() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  event bigint;
begin
  lock table chain.outbox in share row exclusive mode;
  insert into chain.outbox (block_number, kind, token, payload)
  select coalesce((select block_number from chain.checkpoint), 0), 'signal', new.token, jsonb_build_object(
    'id', new.id, 'pair', new.pair, 'token', new.token, 'strategy', new.strategy,
    'strategy_version', new.strategy_version, 'direction', new.direction, 'origin', new.origin,
    'closed_at', new.closed_at, 'generated_at', new.generated_at, 'price', new.price, 'stop_loss', new.stop_loss,
    'take_profit', new.take_profit, 'indicators', new.indicators, 'confidence', new.confidence,
    'skill', r.skill, 'track_record', r.track_record)
  from (select) one left join app.signal_records r
    on r.market_id = new.market_id and r.strategy = new.strategy and r.strategy_version = new.strategy_version
  returning id into event;
  perform pg_notify('slipway_outbox', event::text);
  return null;
end $$;
-- The server's role may create tables: attached to one of its own, the function would publish what is no signal.
revoke execute on function app.publish_signal() from public;
create trigger signals_published after insert on app.signals
  for each row when (new.origin = 'live') execute function app.publish_signal();
