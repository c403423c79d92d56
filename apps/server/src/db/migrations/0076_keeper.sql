-- The keeper of fees pays the payees of launches at the operator's gas. Addresses and hashes in lower-case hex, amounts in
-- wei of the native or of the wrapped native.

-- When a splitter is checked again. A splitter without a row was never checked.
create table app.keeper_splitters (
  splitter text primary key,
  checked_at timestamptz not null default now(),
  -- Not checked before this time: a lease of the checking worker, or a pause after a failure.
  next_check_at timestamptz not null,
  -- Not checked before the fees of its launches, by their volume, reach this amount.
  next_fees numeric(120, 0) not null default 0,
  -- Failures since the last claim that paid.
  failures integer not null default 0 check (failures >= 0),
  last_error text
);

-- One for each transaction of the keeper: collect, settle and release of the launches of one splitter.
create table app.keeper_claims (
  id uuid primary key,
  chain_id bigint not null,
  sender text not null,
  splitter text not null,
  tokens text[] not null,
  payees text[] not null,
  -- What the payees have earned of the wrapped native, by the simulations.
  worth numeric(78, 0) not null check (worth > 0),
  -- The most that the transaction can cost: its gas limit times its highest fee.
  max_cost numeric(78, 0) not null check (max_cost > 0),
  -- Null until the transaction is final. lost: another signer of the key used the nonce.
  outcome text check (outcome in ('paid', 'failed', 'lost')),
  -- By the receipt; null until it is final, and without a receipt.
  cost numeric(78, 0),
  -- The wrapped native that the payees received.
  paid numeric(78, 0),
  tx_hash text,
  block_number bigint,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((outcome is null) = (finished_at is null))
);
-- A second claim of a splitter would pay nothing while the first one is pending.
create unique index keeper_claims_pending on app.keeper_claims (splitter) where outcome is null;
create index keeper_claims_recent on app.keeper_claims (created_at);

-- A transaction of the relayer's module belongs to a quote of a top-up, to a payment, or to a claim of the keeper. A claim
-- has no account.
alter table app.relayer_transactions
  alter column account_id drop not null,
  add column keeper_claim_id uuid unique references app.keeper_claims on delete restrict,
  -- The highest fee per gas of any attempt; null without a limit.
  add column max_fee numeric(78, 0) check (max_fee > 0),
  drop constraint relayer_transactions_purpose,
  add constraint relayer_transactions_purpose check (num_nonnulls(quote_id, payment_id, keeper_claim_id) = 1);
drop trigger relayer_transactions_require_account on app.relayer_transactions;
create trigger relayer_transactions_require_account before insert on app.relayer_transactions
  for each row when (new.account_id is not null) execute function app.require_account('account_id');
