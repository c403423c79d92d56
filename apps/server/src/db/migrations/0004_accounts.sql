-- Signing in, linked identities, plans and credits. better-auth reads and writes users, sessions, identities,
-- verifications and wallets; providers/identity maps its names to these.

-- The side of an account that signs in, with the account's own id. An account made by the operator has none until it
-- links a wallet.
create table app.users (
  id uuid primary key references app.accounts on delete cascade,
  name text not null,
  -- Never a real one: the library wants one, unique.
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Who signs in first gets an account in the same statement: there is never one without the other.
create function app.create_account_of_user() returns trigger language plpgsql as $$
begin
  insert into app.accounts (id, name) values (new.id, new.name) on conflict (id) do nothing;
  return new;
end $$;
create trigger users_account before insert on app.users
  for each row execute function app.create_account_of_user();

-- Browser sessions. The cookie is the token and its HMAC: this table alone does not let anybody in.
create table app.sessions (
  id uuid primary key,
  user_id uuid not null references app.users on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on app.sessions (user_id);
create index sessions_expired on app.sessions (expires_at);

-- What belongs to a user elsewhere: provider siwe (a wallet), code_host, social. No token of a provider is kept.
create table app.identities (
  id uuid primary key,
  user_id uuid not null references app.users on delete cascade,
  provider_id text not null,
  -- The provider's own id; for siwe address and chain id.
  account_id text not null,
  access_token text check (access_token is null),
  refresh_token text check (refresh_token is null),
  id_token text check (id_token is null),
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text check (password is null),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
-- One code host and one social account for each of ours.
create unique index identities_one_each on app.identities (user_id, provider_id) where provider_id <> 'siwe';
create index identities_user on app.identities (user_id);

-- What a provider said last of one of its accounts. A handle moves: whoever has it now is the one.
create table app.provider_handles (
  provider_id text not null,
  account_id text not null,
  handle text not null,
  seen_at timestamptz not null default now(),
  primary key (provider_id, account_id)
);
create unique index provider_handles_owner on app.provider_handles (provider_id, lower(handle));

-- Nonces of sign-in messages and states of OAuth, used once.
create table app.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on app.verifications (identifier);
create index verifications_expired on app.verifications (expires_at);

-- Wallets that proved to be the user's, each by a signed message. Checksummed, as the library writes them.
create table app.wallets (
  id uuid primary key,
  user_id uuid not null references app.users on delete cascade,
  address text not null unique,
  chain_id bigint not null,
  is_primary boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index wallets_lower on app.wallets (lower(address));
create index wallets_user on app.wallets (user_id);

-- Labels that hold: one account has proven the handle and the wallet. Both in lower case.
create view app.verified_labels as
  select i.provider_id as provider, lower(h.handle) as handle, lower(w.address) as wallet
  from app.identities i
  join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
  join app.wallets w on w.user_id = i.user_id
  where i.provider_id in ('code_host', 'social');

-- The recipients of an intent in their order, each with whether its label holds.
create function app.labels_of(intent jsonb) returns jsonb language sql stable as $$
  select jsonb_agg(r || jsonb_build_object('verified', exists (
      select from app.verified_labels v
      where v.provider = r ->> 'provider' and v.handle = lower(ltrim(r ->> 'handle', '@'))
        and v.wallet = lower(r ->> 'wallet'))) order by n)
  from jsonb_array_elements(intent -> 'recipients') with ordinality as e (r, n)
$$;

-- The ledger is append-only, and the balance is kept with it: one row for an account, locked by each booking.
create table app.credit_balances (
  account_id uuid primary key references app.accounts on delete cascade,
  balance bigint not null constraint credit_balance_not_negative check (balance >= 0)
);
insert into app.credit_balances (account_id, balance)
  select account_id, sum(amount) from app.credit_ledger group by account_id;

alter table app.credit_ledger
  add column kind text not null default 'grant' check (kind in ('grant', 'charge', 'refund')),
  add column balance_after bigint,
  drop constraint credit_ledger_account_id_reason_request_id_key,
  add constraint credit_ledger_once unique (account_id, kind, request_id);
create index credit_ledger_account on app.credit_ledger (account_id, id desc);

-- Waits for the account's other bookings, so that balance_after is what this one leaves.
create function app.foresee_balance() returns trigger language plpgsql as $$
begin
  insert into app.credit_balances (account_id, balance) values (new.account_id, 0) on conflict do nothing;
  select balance + new.amount into new.balance_after
    from app.credit_balances where account_id = new.account_id for update;
  return new;
end $$;
create trigger credit_ledger_foresee before insert on app.credit_ledger
  for each row execute function app.foresee_balance();

-- Only what was really inserted is booked.
create function app.book_credits() returns trigger language plpgsql as $$
begin
  update app.credit_balances set balance = balance + new.amount where account_id = new.account_id;
  return null;
end $$;
create trigger credit_ledger_book after insert on app.credit_ledger
  for each row execute function app.book_credits();

create function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger credit_ledger_append_only before update or delete on app.credit_ledger
  for each row execute function app.refuse_change();
create trigger credit_ledger_never_emptied before truncate on app.credit_ledger
  for each statement execute function app.refuse_change();

-- Keys that came before scopes were enforced keep an empty list: everything but admin.
alter table app.api_keys
  add constraint api_keys_scopes check (scopes <@ array['read', 'write', 'transactions', 'account', 'admin']);
