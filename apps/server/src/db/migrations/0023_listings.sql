-- Businesses: listings of accounts, and those of sources outside, in one table. A listing never enables trading.

create table app.listings (
  -- A UUID, or the source, a colon and the id there. Bytes decide its order, as in a program.
  id text collate "C" primary key,
  source text not null check (source in ('own', 'partner_a', 'partner_b', 'partner_c')),
  kind text not null check (kind in ('business', 'token')),
  account_id uuid,
  idempotency_key text,
  -- Of the request, or of the entry of a feed.
  body_hash bytea not null,
  -- What is published, checked and cleaned.
  listing jsonb not null,
  -- What is searched and filtered. Texts are in lower case.
  name text not null,
  search_text text not null,
  category text not null,
  country text,
  lat double precision,
  lon double precision,
  -- Of a stored picture, where image_uri names one.
  image_sha256 bytea,
  image_cid text,
  -- Listings of several sources with the same key are one business; null: of no other.
  merge_key text,
  -- Of the listings of a key the source that comes first leads; set by a trigger.
  rank smallint not null generated always as
    (case source when 'own' then 0 when 'partner_a' then 1 when 'partner_b' then 2 else 3 end) stored,
  leads boolean not null default true,
  blocked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((source = 'own') = (account_id is not null))
);
create unique index listings_once on app.listings (account_id, idempotency_key);
create index listings_newest on app.listings (created_at desc, id desc) where blocked_at is null;
create index listings_leading on app.listings (created_at desc, id desc) where blocked_at is null and leads;
create index listings_source on app.listings (source, created_at desc, id desc) where blocked_at is null;
create index listings_kind on app.listings (kind, created_at desc, id desc) where blocked_at is null;
create index listings_category on app.listings (category, created_at desc, id desc) where blocked_at is null;
create index listings_country on app.listings (country, created_at desc, id desc) where blocked_at is null;
create index listings_merge on app.listings (merge_key, rank) where merge_key is not null;
create index listings_place on app.listings using gist (point(lon, lat)) where lat is not null;
do $$
begin
  create extension if not exists pg_trgm;
  execute 'create index listings_search on app.listings using gin (search_text gin_trgm_ops)';
  execute 'create index listings_name on app.listings using gin (name gin_trgm_ops)';
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'pg_trgm is not available: searches of listings read the whole table';
end $$;
create trigger listings_require_account before insert on app.listings
  for each row when (new.account_id is not null) execute function app.require_account('account_id');

-- The state of the sources. `count` and `leads` are of what is published; triggers keep them.
create table app.listing_sources (
  source text primary key,
  count integer not null default 0,
  leads integer not null default 0,
  changed_at timestamptz,
  -- Of a feed: where it was read, when that last succeeded, and the code of the last failure.
  url text,
  fetched_at timestamptz,
  error text,
  etag text,
  last_modified text,
  -- Entries of the last reading that were left out.
  skipped integer not null default 0,
  -- Readings in a row that would have removed more than half.
  shrunk integer not null default 0,
  attempts integer not null default 0,
  next_at timestamptz not null default now()
);

-- Writers of listings take turns, before they lock a row: two that lead or follow each other would otherwise both lead.
create function app.lock_listings() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7416033571);
  return null;
end $$;
create trigger listings_lock before insert or update or delete on app.listings
  for each statement execute function app.lock_listings();

create function app.merge_listings(keys text[]) returns void language plpgsql as $$
begin
  -- An update fires its trigger also without a row.
  if cardinality(keys) = 0 then return; end if;
  update app.listings l set leads = s.leads
  from (
    select a.id, not exists (
      select from app.listings b where b.merge_key = a.merge_key and b.rank < a.rank and b.blocked_at is null
    ) as leads
    from app.listings a where a.merge_key = any(keys)
  ) s
  where l.id = s.id and l.leads <> s.leads;
end $$;

create function app.listings_inserted() returns trigger language plpgsql as $$
begin
  insert into app.listing_sources as s (source, count, leads, changed_at)
  select source, count(*) filter (where blocked_at is null), count(*) filter (where blocked_at is null and leads),
    clock_timestamp()
  from added group by source order by source
  on conflict (source) do update
    set count = s.count + excluded.count, leads = s.leads + excluded.leads, changed_at = excluded.changed_at;
  perform app.merge_listings(array(select distinct merge_key from added where merge_key is not null));
  return null;
end $$;
create trigger listings_inserted after insert on app.listings referencing new table as added
  for each statement execute function app.listings_inserted();

create function app.listings_deleted() returns trigger language plpgsql as $$
begin
  update app.listing_sources s
  set count = s.count - d.count, leads = s.leads - d.leads, changed_at = clock_timestamp()
  from (
    select source, count(*) filter (where blocked_at is null) as count,
      count(*) filter (where blocked_at is null and leads) as leads
    from removed group by source
  ) d where d.source = s.source;
  perform app.merge_listings(array(select distinct merge_key from removed where merge_key is not null));
  return null;
end $$;
create trigger listings_deleted after delete on app.listings referencing old table as removed
  for each statement execute function app.listings_deleted();

-- A source and an id never change.
create function app.listings_updated() returns trigger language plpgsql as $$
begin
  update app.listing_sources s
  set count = s.count + d.count, leads = s.leads + d.leads, changed_at = clock_timestamp()
  from (
    select a.source, count(*) filter (where a.blocked_at is null) - count(*) filter (where r.blocked_at is null) as count,
      count(*) filter (where a.blocked_at is null and a.leads)
        - count(*) filter (where r.blocked_at is null and r.leads) as leads
    from added a join removed r on r.id = a.id group by a.source
  ) d where d.source = s.source;
  perform app.merge_listings(array(
    select distinct k.merge_key from added a join removed r on r.id = a.id
    cross join lateral (values (a.merge_key), (r.merge_key)) k (merge_key)
    where k.merge_key is not null
      and (a.merge_key is distinct from r.merge_key or a.blocked_at is distinct from r.blocked_at)));
  return null;
end $$;
create trigger listings_updated after update on app.listings referencing old table as removed new table as added
  for each statement execute function app.listings_updated();

-- The proof that a listing's owner controls its website. Another website removes the row, and with it the code.
create table app.website_proofs (
  listing_id text collate "C" primary key references app.listings on delete cascade,
  website text not null,
  code text not null unique,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  reason text,
  verified_at timestamptz,
  checked_at timestamptz,
  -- Checks begun since the last that found the code; it also distinguishes one claim from the next.
  attempts integer not null default 0,
  -- Due from then on; null: never again.
  next_at timestamptz default now()
);
create index website_proofs_due on app.website_proofs (next_at) where next_at is not null;

-- Tokens of earlier deployments, in the order of the directory.
create index tokens_of_deployment on chain.tokens (deployment_id, block_time desc, address desc);

-- What signs the cursors of lists. One row, written with the first cursor.
create table app.cursor_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null
);
