-- What only we know: accounts, drafts, labels. Written by API and workers; this is what an operator backs up.

create schema if not exists app;

create table app.accounts (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table app.api_keys (
  id uuid primary key,
  account_id uuid not null references app.accounts on delete cascade,
  -- SHA-256 of the key; the key itself is shown once and kept nowhere.
  hash bytea not null unique check (length(hash) = 32),
  name text not null,
  scopes text[] not null default '{}',
  -- The first characters of the key, to recognise it by.
  prefix text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_account on app.api_keys (account_id);

create table app.plans (
  account_id uuid not null references app.accounts on delete cascade,
  plan text not null,
  active_from timestamptz not null default now(),
  -- Null: until it is ended.
  active_until timestamptz,
  primary key (account_id, plan, active_from)
);

-- Append-only; the balance is the sum.
create table app.credit_ledger (
  id bigint generated always as identity primary key,
  account_id uuid not null references app.accounts on delete cascade,
  amount bigint not null check (amount <> 0),
  reason text not null,
  request_id text not null,
  created_at timestamptz not null default now(),
  unique (account_id, reason, request_id)
);

-- Private launch drafts.
create table app.intents (
  id uuid primary key,
  account_id uuid not null references app.accounts on delete cascade,
  idempotency_key text not null check (length(idempotency_key) between 8 and 128),
  -- SHA-256 of the canonical JSON of the body: what an identical retry must equal.
  body_hash bytea not null,
  intent jsonb not null,
  created_at timestamptz not null default now(),
  unique (account_id, idempotency_key)
);
create index intents_recent on app.intents (account_id, created_at desc, id desc);

-- Launch transactions that were handed out: which draft a token came from, and so the labels of its recipients.
create table app.launches_prepared (
  -- Lower case.
  token text primary key,
  intent_id uuid not null references app.intents on delete cascade,
  account_id uuid not null references app.accounts on delete cascade,
  wallet text not null,
  splitter text not null,
  created_at timestamptz not null default now()
);
create index launches_prepared_splitter on app.launches_prepared (splitter);
create index launches_prepared_intent on app.launches_prepared (intent_id);
