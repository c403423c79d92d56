-- A picture that is blocked before a token first shows it has a row of the gallery as well: token reads name no address of
-- a blocked picture, and learn of it by the row's `change`.
create or replace function app.update_gallery(tokens text[]) returns void language plpgsql as $$
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
    where w.sha256 is not null or exists (select from earlier e where e.token = w.token)
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

select app.update_gallery(array(
  select i.token from app.token_images i
  where i.sha256 is not null and not exists (select from app.gallery g where g.token = i.token)
));

-- The token list (feeds) as its job made it last, with the version that readers compare.
create table app.token_list (
  only_row boolean primary key default true check (only_row),
  chain_id bigint not null,
  major integer not null,
  minor integer not null,
  patch integer not null,
  listed_at timestamptz not null default now(),
  -- When the tokens of a full list were chosen.
  chosen_at timestamptz not null,
  -- As text: what is compared keeps its order.
  tokens json not null
);

-- The perceptual hash of each picture (64-bit dHash of its first frame); null for one that was stored before and is not
-- hashed yet.
alter table app.images add column dhash bit(64);
create index images_unhashed on app.images (sha256) where dhash is null;

-- Pictures that are blocked wherever they come from, by their perceptual hash. A removed entry stays for the record.
create table app.denied_images (
  id uuid primary key,
  dhash bit(64) not null,
  -- Bits in which a picture may differ.
  within smallint not null check (within between 0 and 6),
  reason text not null,
  created_at timestamptz not null default now(),
  removed_at timestamptz
);
create unique index denied_images_dhash on app.denied_images (dhash) where removed_at is null;
create index denied_images_newest on app.denied_images (created_at desc, id desc) where removed_at is null;

-- An entry (exclusive) and a picture (shared) that are stored at the same time: the later sees the earlier.
create function app.lock_denied_images() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7416033574);
  return null;
end $$;

create function app.is_denied_image(hash bit(64)) returns boolean language plpgsql volatile as $$
begin
  return exists (
    select from app.denied_images d where d.removed_at is null and bit_count(d.dhash # hash) <= d.within
  );
end $$;

create function app.deny_new_image() returns trigger language plpgsql as $$
begin
  if new.dhash is not null and app.is_denied_image(new.dhash) then
    new.blocked_at := coalesce(new.blocked_at, now());
  end if;
  return new;
end $$;

create function app.log_denied_image() returns trigger language plpgsql as $$
begin
  insert into app.moderation_events (kind, target, blocked, reason)
  values ('image', encode(new.sha256, 'hex'), true, 'It resembles a picture of the deny list.');
  return null;
end $$;

create trigger images_lock_denied before insert or update of dhash on app.images
  for each statement execute function app.lock_denied_images();
create trigger images_denied before insert on app.images
  for each row execute function app.deny_new_image();
create trigger images_denied_logged after insert on app.images
  for each row when (new.blocked_at is not null and new.dhash is not null) execute function app.log_denied_image();

-- Searches of listings read one relevance after the other: a name that equals or begins with the text, in this order of bytes.
create index listings_name_prefix on app.listings (name text_pattern_ops) where blocked_at is null;
