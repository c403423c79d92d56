-- Reports of the public, what administrators blocked, and who did.

create table app.reports (
  id uuid primary key,
  kind text not null check (kind in ('listing', 'token', 'image')),
  target text not null,
  reason text not null,
  text text,
  -- SHA-256 of the reporter's network address and the target: one address reports one thing once.
  reporter bytea not null unique,
  created_at timestamptz not null default now()
);
create index reports_target on app.reports (kind, target);
create index reports_newest on app.reports (created_at desc, id desc);

create sequence app.blocked_token_changes;

-- Tokens that no list shows. A row stays when the block ends, for `change` only grows.
create table app.blocked_tokens (
  -- Lower case.
  token text primary key,
  blocked_at timestamptz,
  change bigint not null default nextval('app.blocked_token_changes')
);
create unique index blocked_tokens_change on app.blocked_tokens (change);

-- Everything that administrators did; append-only.
create table app.moderation_events (
  id bigint generated always as identity primary key,
  -- The account of the administrator's key; null: by the operator's command. The log stays when the account is deleted.
  administrator uuid,
  kind text not null check (kind in ('listing', 'token', 'image')),
  target text not null,
  blocked boolean not null,
  reason text not null,
  created_at timestamptz not null default now()
);
create index moderation_events_target on app.moderation_events (kind, target, id);
create function app.refuse_moderation_change() returns trigger language plpgsql as $$
begin
  raise exception 'moderation events are append-only';
end $$;
create trigger moderation_events_append_only before update or delete or truncate on app.moderation_events
  for each statement execute function app.refuse_moderation_change();
