-- Contracts whose sources a verifier (VERIFIER_URL) compares with their code: the contracts of the manifest and launched
-- tokens. A row is the queue (next_at) and the result.

create table app.source_verifications (
  -- Lower case.
  address text primary key,
  -- Name of the contract, such as LaunchToken.
  contract text not null,
  creation_transaction text,
  -- Due from this time on; null: finished. A claim moves it beyond the end of its requests.
  next_at timestamptz default now(),
  -- Requests since the last progress; also tells one claim from the next.
  attempts integer not null default 0,
  -- Submissions so far, and the verifier's id of the last one; null before the first and after a failed one.
  submissions integer not null default 0,
  job_id text,
  -- True: the verifier compared the code with these sources and it is equal. False: it is not. Null: no result yet.
  is_verified boolean,
  -- Why there is no result, or why it is false.
  reason text,
  checked_at timestamptz
);
create index source_verifications_due on app.source_verifications (next_at) where next_at is not null;

do $$
begin
  if exists (select from pg_roles where rolname = 'slipway_api') then
    grant select, insert, update, delete on app.source_verifications to slipway_api;
  end if;
end $$;
