-- Ranges of final blocks whose logs one endpoint alone reported, with their number: another endpoint is asked for it later.
-- A range that is confirmed is deleted. Ranges that an earlier version indexed have no row.
create table chain.unconfirmed_ranges (
  from_block bigint primary key,
  to_block bigint not null,
  -- The range's logs of launches; those of the gas station are not counted, which may become known later.
  logs integer not null,
  -- Host of the endpoint that reported them.
  host text not null,
  -- Which events were asked for: a number of others cannot be compared.
  events text not null,
  -- Another endpoint has other logs.
  differs boolean not null default false,
  checked_at timestamptz
);

-- When the index was last emptied because logs were missing from it: at most once a day.
alter table chain.checkpoint add column rebuilt_at timestamptz;
