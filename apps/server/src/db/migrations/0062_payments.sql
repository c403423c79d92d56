-- Payments by x402: transfers of a stablecoin that a payer signed (EIP-3009) and the relayer sends. Addresses, hashes and
-- nonces in lower-case hex.
create table app.payments (
  id uuid primary key,
  account_id uuid not null,
  chain_id bigint not null,
  asset text not null,
  payer text not null,
  payee text not null,
  -- In base units of the asset.
  amount numeric(78, 0) not null check (amount > 0),
  -- Unix seconds of the chain's time.
  valid_after bigint not null,
  valid_before bigint not null,
  nonce text not null check (nonce ~ '^0x[0-9a-f]{64}$'),
  -- What it buys: credits, or a plan for some days.
  credits bigint check (credits > 0),
  plan text,
  plan_days int check (plan_days > 0),
  -- The newest block when it was accepted: the authorization was unused then.
  start_block bigint not null,
  -- The first block that was seen after valid_before. Once it is final, an unused authorization has expired.
  expiry_block bigint,
  expiry_hash text,
  state text not null default 'pending' check (state in ('pending', 'booked', 'failed', 'held')),
  -- Why it failed or is held: see paymentReason of the protocol.
  reason text,
  -- The transaction that executed or cancelled the authorization, once it is final.
  tx_hash text,
  block_number bigint,
  -- When the chain was last asked about it.
  checked_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((credits is null) <> (plan is null)),
  check ((plan is null) = (plan_days is null)),
  -- An authorization is one payment, of one account.
  unique (chain_id, asset, payer, nonce)
);
create index payments_pending on app.payments (checked_at) where state = 'pending';
create index payments_pending_payer on app.payments (payer) where state = 'pending';
create index payments_held on app.payments (id) where state = 'held';
create index payments_recent on app.payments (created_at);
create index payments_account on app.payments (account_id, created_at);
create trigger payments_require_account before insert on app.payments
  for each row execute function app.require_account('account_id');

-- The relayer also sends payments: a transaction belongs to a quote of a top-up, or to a payment.
alter table app.relayer_transactions
  alter column quote_id drop not null,
  add column payment_id uuid unique references app.payments on delete restrict,
  add constraint relayer_transactions_purpose check ((quote_id is null) <> (payment_id is null));
