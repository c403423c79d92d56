-- The risk of markets: who wants it, the newest of each market, and the forecasts that backtests are made of.

-- Markets whose risk someone wants: live connections, requests, alerts. They repeat it before it ends.
create table app.risk_demand (
  market_id integer primary key references app.markets,
  wanted_until timestamptz not null,
  -- While it lasts, one worker computes it; after a failure, until it is tried again.
  claimed_until timestamptz not null default '-infinity'
);

create table app.risk_snapshots (
  market_id integer primary key references app.markets,
  -- What it was computed from: first and last bar, the last revision, the version of the models.
  input text not null,
  -- Unix seconds of the close of the last bar.
  data_through bigint not null,
  computed_at timestamptz not null default now(),
  -- As packages/quant returns them.
  snapshot jsonb not null,
  history jsonb not null,
  card jsonb not null
);

-- What was forecast at the end of each day for the next one. Never changed: backtests use it whatever was revised later.
create table app.risk_forecasts (
  market_id integer not null references app.markets,
  -- Unix seconds of the end of the last day that it knows.
  made_at bigint not null,
  forecast jsonb not null,
  stored_at timestamptz not null default now(),
  primary key (market_id, made_at)
);

-- The last revision of a market's hours.
create index market_bars_revised on app.market_bars (market_id, revised_at) where revised_at is not null and interval = 3600;
