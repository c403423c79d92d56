-- What a page of the gallery shows of each picture, in one row: its token's texts and the picture's figures. A page reads these
-- rows and the tokens' state, instead of the token and the picture of each item by their keys; a search reads them alone.
-- Derived from app.gallery, chain.tokens and app.images: there is a row where the picture is shown and its token is indexed.

create table app.gallery_items (
  -- Of chain.tokens. After a reorganisation another token may have it: the triggers below remove and add rows.
  token_id integer primary key,
  -- Lower case.
  token text not null,
  -- As in app.gallery.
  position integer not null,
  sha256 bytea not null,
  width integer not null,
  height integer not null,
  animated boolean not null,
  blurhash text not null,
  dominant_color text not null,
  -- As in chain.tokens.
  name text not null,
  symbol text not null,
  block_number bigint not null,
  block_time bigint not null,
  log_index integer not null,
  search_text text not null
);

-- Pages in random order are read from its index alone, where a vacuum has noted that everybody sees the rows (0008).
alter table app.gallery_items set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);

-- The rows that should be there.
create view app.wanted_gallery_items as
  select t.id as token_id, t.address as token, g.position, g.sha256, i.width, i.height, i.animated, i.blurhash,
    i.dominant_color, t.name, t.symbol, t.block_number, t.block_time, t.log_index, t.search_text
  from app.gallery g
  join chain.tokens t on t.address = g.token
  join app.images i on i.sha256 = g.sha256
  where g.shown;

-- Nobody changes a picture until the rows are filled and the triggers are there.
lock table app.gallery in share row exclusive mode;
-- In the order of launches, as the job writes them: the newest are side by side.
insert into app.gallery_items select * from app.wanted_gallery_items order by block_number, log_index;
create index gallery_items_random on app.gallery_items (position, token)
  include (token_id, sha256, width, height, animated, blurhash, dominant_color, name, symbol, block_time);
create index gallery_items_new on app.gallery_items (block_number desc, log_index desc);
do $$
begin
  create extension if not exists pg_trgm;
  execute 'create index gallery_items_search on app.gallery_items using gin (search_text gin_trgm_ops)';
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'pg_trgm is not available: searches of the gallery read the whole table';
end $$;
analyze app.gallery_items;

create function app.write_gallery_items(tokens text[]) returns void language plpgsql as $$
begin
  insert into app.gallery_items as i select * from app.wanted_gallery_items where token = any(tokens)
  on conflict (token_id) do update
    set (token, position, sha256, width, height, animated, blurhash, dominant_color, name, symbol, block_number, block_time,
        log_index, search_text)
      = (excluded.token, excluded.position, excluded.sha256, excluded.width, excluded.height, excluded.animated,
        excluded.blurhash, excluded.dominant_color, excluded.name, excluded.symbol, excluded.block_number,
        excluded.block_time, excluded.log_index, excluded.search_text)
    where i is distinct from excluded;
end $$;

-- The functions below find rows by their keys, also by plans that a session made while the tables were small.

-- Pictures that are stored, replaced, blocked or removed. Who writes them holds the lock of app.lock_gallery.
create function app.gallery_rows_changed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if exists (select from changed c where not c.shown) then
    delete from app.gallery_items i using changed c, chain.tokens t
    where not c.shown and t.address = c.token and i.token_id = t.id;
  end if;
  if exists (select from changed c where c.shown) then
    perform app.write_gallery_items(array(select c.token from changed c where c.shown));
  end if;
  return null;
end $$;
create trigger gallery_rows_inserted after insert on app.gallery referencing new table as changed
  for each statement execute function app.gallery_rows_changed();
create trigger gallery_rows_updated after update on app.gallery referencing new table as changed
  for each statement execute function app.gallery_rows_changed();

-- Tokens of the index come and go as blocks do. The indexer's role may not write to this schema: these run as their owner.
-- Most launches are new: only at one whose picture was known before does the indexer wait for who changes pictures.
create function app.gallery_tokens_inserted() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if exists (
    select from added a cross join lateral (select from app.token_images i where i.token = a.address limit 1) i
  ) then
    perform pg_advisory_xact_lock(7416033572);
    perform app.write_gallery_items(array(select a.address from added a));
  end if;
  return null;
end $$;
create function app.gallery_tokens_deleted() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if exists (select from removed) then
    perform pg_advisory_xact_lock(7416033572);
    delete from app.gallery_items where token_id = any(array(select r.id from removed r));
  end if;
  return null;
end $$;
-- Of an index that is built anew. A truncation would deadlock with readers.
create function app.gallery_tokens_truncated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(7416033572);
  delete from app.gallery_items;
  return null;
end $$;
create trigger tokens_inserted after insert on chain.tokens referencing new table as added
  for each statement execute function app.gallery_tokens_inserted();
create trigger tokens_deleted after delete on chain.tokens referencing old table as removed
  for each statement execute function app.gallery_tokens_deleted();
create trigger tokens_truncated after truncate on chain.tokens
  for each statement execute function app.gallery_tokens_truncated();

-- What the indexer did while the rows were filled: from here on it waits for this migration.
delete from app.gallery_items i where not exists (select from chain.tokens t where t.id = i.token_id and t.address = i.token);
insert into app.gallery_items
select * from app.wanted_gallery_items w where not exists (select from app.gallery_items i where i.token_id = w.token_id);
