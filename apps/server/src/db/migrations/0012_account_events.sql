-- What happened to an account, for its owner: keys, links, sessions, plan, exports. `kind` is one of accountEventKind in
-- packages/protocol/src/accounts.ts, which grows; `details` holds ids and names, never a secret.
create table app.account_events (
  id bigint generated always as identity primary key,
  account_id uuid not null references app.accounts on delete cascade,
  kind text not null,
  details jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index account_events_account on app.account_events (account_id, id desc);
