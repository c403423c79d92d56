-- Holders by minute, totals by day, and releases by payee. The index is rebuilt once to fill them (indexer/sources.ts).

-- The rules that built the index. Null in an index of an earlier version, which is read until the next one replaces it: its
-- holders by minute and totals by day are incomplete.
alter table chain.checkpoint add column rules integer;

-- How many accounts began (`came`) and ceased (`gone`) to hold a token in each minute, by their balances at the end of each
-- block; the accounts that token_state.holders counts. A worker deletes rows older than eight days.
create table chain.holder_minutes (
  token_id integer not null,
  t bigint not null,
  came integer not null,
  gone integer not null,
  primary key (token_id, t)
);
create index holder_minutes_time on chain.holder_minutes using brin (t) with (autosummarize = on);

-- Rows with seconds = 86400 are the sums of a day (UTC). `traders`: the different accounts that traded on that day, only in
-- these rows.
alter table chain.totals add column traders bigint;

-- The releases of a payee, newest last.
create index splitter_events_payee on chain.splitter_events (account, block_number, log_index) where kind = 'released';
