-- One row for each forecast that was charged. It is written with the charge, so that a charge without an answer is found
-- and refunded whatever ended the process.
create table app.forecast_runs (
  -- The id of the HTTP request, and of its charge in the ledger. A retry is another request and another charge.
  request_id text primary key,
  account_id uuid not null,
  -- SHA-256 of the Idempotency-Key; null without one.
  key_hash bytea,
  -- SHA-256 of the request.
  body_hash bytea not null,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  -- The bytes that a retry with the key gets; null without a key.
  answer bytea,
  created_at timestamptz not null default now()
);
-- Failed runs do not use up their key.
create unique index forecast_runs_key on app.forecast_runs (account_id, key_hash)
  where key_hash is not null and state <> 'failed';
create index forecast_runs_created on app.forecast_runs (created_at);
create index forecast_runs_account on app.forecast_runs (account_id, created_at);
create trigger forecast_runs_require_account before insert on app.forecast_runs
  for each row execute function app.require_account('account_id');
