-- The gallery: the processed pictures of launched tokens. Derived by triggers from app.token_images, app.images and
-- app.blocked_tokens, so that a page is a range of an index and the total is one row.

create sequence app.gallery_changes;

-- A row stays when its picture is blocked or removed, so that its position never changes.
create table app.gallery (
  -- The launch token, lower case.
  token text primary key,
  sha256 bytea,
  -- It is processed, and neither it nor its token is blocked.
  shown boolean not null,
  -- The place in the random order, drawn once: nobody who launches can choose it.
  position integer not null default floor(random() * 4294967296)::bigint - 2147483648,
  -- Grows with every change that answers show, in the order of commits: writers take turns.
  change bigint not null default nextval('app.gallery_changes')
);
create index gallery_position on app.gallery (position, token) where shown;
create index gallery_sha256 on app.gallery (sha256);
create unique index gallery_change on app.gallery (change);

create table app.gallery_total (
  only_row boolean primary key default true check (only_row),
  shown bigint not null
);

-- Before a row is locked: of a picture and its block that are stored at the same time, the later sees the earlier.
create function app.lock_gallery() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7416033572);
  return null;
end $$;

create function app.update_gallery(tokens text[]) returns void language plpgsql as $$
declare
  difference bigint;
begin
  with wanted as materialized (
    select i.token, i.sha256,
      p.sha256 is not null and p.blocked_at is null and not exists (
        select from app.blocked_tokens b where b.token = i.token and b.blocked_at is not null
      ) as shown
    from app.token_images i left join app.images p on p.sha256 = i.sha256
    where i.token = any(tokens)
  ),
  earlier as materialized (select g.token, g.shown from app.gallery g where g.token = any(tokens)),
  written as (
    insert into app.gallery as g (token, sha256, shown)
    select w.token, w.sha256, w.shown from wanted w
    where w.shown or exists (select from earlier e where e.token = w.token)
    on conflict (token) do update
      set sha256 = excluded.sha256, shown = excluded.shown, change = nextval('app.gallery_changes')
      where (g.sha256, g.shown) is distinct from (excluded.sha256, excluded.shown)
    returning g.token, g.shown
  )
  select coalesce(sum(w.shown::int - coalesce(e.shown, false)::int), 0) into difference
  from written w left join earlier e on e.token = w.token;
  if difference <> 0 then
    insert into app.gallery_total as t (shown) values (difference)
    on conflict (only_row) do update set shown = t.shown + excluded.shown;
  end if;
  perform pg_notify('slipway_outbox', 'gallery');
end $$;

create function app.token_image_changed() returns trigger language plpgsql as $$
begin
  perform app.update_gallery(array[new.token]);
  return null;
end $$;
create trigger token_images_lock_gallery before insert or update of sha256 on app.token_images
  for each statement execute function app.lock_gallery();
create trigger token_images_inserted after insert on app.token_images
  for each row when (new.sha256 is not null) execute function app.token_image_changed();
create trigger token_images_updated after update of sha256 on app.token_images
  for each row when (new.sha256 is distinct from old.sha256) execute function app.token_image_changed();

create function app.image_block_changed() returns trigger language plpgsql as $$
begin
  perform app.update_gallery(array(select token from app.token_images where sha256 = new.sha256));
  return null;
end $$;
create trigger images_lock_gallery before update of blocked_at on app.images
  for each statement execute function app.lock_gallery();
create trigger images_block_changed after update of blocked_at on app.images
  for each row when (new.blocked_at is distinct from old.blocked_at) execute function app.image_block_changed();

create function app.token_block_changed() returns trigger language plpgsql as $$
begin
  perform app.update_gallery(array[new.token]);
  return null;
end $$;
create trigger blocked_tokens_lock_gallery before insert or update on app.blocked_tokens
  for each statement execute function app.lock_gallery();
create trigger blocked_tokens_changed after insert or update on app.blocked_tokens
  for each row execute function app.token_block_changed();

select app.update_gallery(array(select token from app.token_images where sha256 is not null));
