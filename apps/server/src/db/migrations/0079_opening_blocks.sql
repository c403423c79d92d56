-- Openings can be reported and blocked (docs/openings.md#blocks).

alter table app.reports drop constraint reports_kind_check,
  add constraint reports_kind_check check (kind in ('listing', 'token', 'image', 'opening'));
alter table app.moderation_events drop constraint moderation_events_kind_check,
  add constraint moderation_events_kind_check check (kind in ('listing', 'token', 'image', 'opening'));

create sequence app.blocked_opening_changes;

-- Openings whose texts are hidden. A row stays when the block ends, because `change` only grows.
create table app.blocked_openings (
  -- Lower case.
  opening text primary key,
  blocked_at timestamptz,
  change bigint not null default nextval('app.blocked_opening_changes')
);
create unique index blocked_openings_change on app.blocked_openings (change);
