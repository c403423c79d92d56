-- What a session and a key derive from, so that it ends with it. Keys without scopes no longer have the scope account.

-- The wallet that opened the session, in lower case; null where an earlier version opened it.
alter table app.sessions add column wallet text;
-- The wallet that opened the session in which the key was created; null for the operator's keys and those of earlier
-- versions.
alter table app.api_keys add column wallet text;
-- Sign-ins that began before do not open a session.
alter table app.accounts add column signed_out_at timestamptz;

-- OAuth flows under way, by the account that began them: the library stores their state as JSON.
create index verifications_account on app.verifications
  (substring(value from '"userId":"([0-9a-f-]{36})"')) where value like '%"userId":"%';
