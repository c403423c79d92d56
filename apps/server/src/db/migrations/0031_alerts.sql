-- Addresses to which an account sends alerts. Whoever reads the mails of the address confirms one; unsubscribing deletes it.
create table app.alert_addresses (
  -- Tickets of mails name it.
  id uuid primary key,
  account_id uuid not null references app.accounts on delete cascade,
  -- As it was first sent; `address_key` is its form for comparisons.
  address text not null,
  address_key text not null,
  confirmed_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, address_key)
);
create trigger alert_addresses_require_account before insert on app.alert_addresses
  for each row execute function app.require_account('account_id');

-- Rules: a metric of a pair crosses a threshold.
create table app.alerts (
  id uuid primary key,
  account_id uuid not null references app.accounts on delete cascade,
  address_id uuid not null references app.alert_addresses on delete cascade,
  idempotency_key text not null,
  body_hash bytea not null,
  pair text not null,
  metric text not null,
  op text not null check (op in ('above', 'below', 'is')),
  -- A number, or for `is` a text.
  value jsonb not null,
  -- new: no value was judged yet.
  state text not null default 'new' check (state in ('new', 'armed', 'fired')),
  -- The time of the last bar that was judged, in Unix seconds: a bar is judged once.
  judged_bar bigint,
  fired_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, idempotency_key)
);
create index alerts_pair on app.alerts (pair);
create index alerts_address on app.alerts (address_id);
create trigger alerts_require_account before insert on app.alerts
  for each row execute function app.require_account('account_id');

-- Mails to send. What identifies a person is erased when a mail is sent, given up or cancelled; the row stays for two days,
-- since limits count it.
create table app.mail (
  id uuid primary key,
  -- Two mails of the same cause have the same key: only the first is stored.
  dedupe_key text not null unique,
  kind text not null check (kind in ('confirm', 'alert', 'security')),
  -- Whose limit it counts for; null once the account is deleted.
  account_id uuid,
  -- What ends it before it is sent: its address of alerts, and its rule.
  address_id uuid,
  alert_id uuid,
  address text,
  -- SHA-256 of the address' form for comparisons.
  address_hash bytea not null,
  -- What the text is made from; never a secret, a ticket included.
  content jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'cancelled')),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  -- Why the last attempt failed: a code, never the server's own text.
  error text
);
create index mail_due on app.mail (next_at) where state = 'queued';
create index mail_address on app.mail (address_hash, kind, created_at);
create index mail_account on app.mail (account_id, kind, created_at);
create index mail_alert_address on app.mail (address_id) where state = 'queued';
create index mail_created on app.mail (created_at) where state <> 'queued';

-- Addresses that their own server refused for good. No mail is sent to them for a month. Unlike limits this is of the whole
-- address: a server that refuses name+more may take name.
create table app.mail_suspensions (
  -- SHA-256 of the address in lower case.
  address_hash bytea primary key,
  suspended_at timestamptz not null default now()
);
create index mail_suspensions_age on app.mail_suspensions (suspended_at);

-- The address that a provider has verified of one of its accounts: mails about the security of ours go there. It is stored
-- only while mail is configured, and goes with the link.
create table app.provider_addresses (
  provider_id text not null,
  account_id text not null,
  address text not null,
  seen_at timestamptz not null default now(),
  primary key (provider_id, account_id)
);
create function app.forget_address() returns trigger language plpgsql as $$
begin
  delete from app.provider_addresses where provider_id = old.provider_id and account_id = old.account_id;
  return null;
end $$;
create trigger identities_forget_address after delete on app.identities
  for each row execute function app.forget_address();

-- The form of an address for comparisons and limits: in lower case, without what follows a plus in the local part.
create function app.address_key(address text) returns text language sql immutable strict parallel safe as $$
  select lower(regexp_replace(address, '\+[^@]*@', '@'))
$$;
create function app.hash_address(address text) returns bytea language sql immutable strict parallel safe as $$
  select sha256(convert_to(app.address_key(address), 'UTF8'))
$$;
