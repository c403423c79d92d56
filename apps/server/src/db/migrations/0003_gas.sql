-- The gas station's server side: quotes, and the relayer's transactions. Addresses, hashes and ids in lower-case hex.

-- Prices that were given. One is used once: consumed_at is set in the transaction that stores its signed top-up.
create table app.gas_quotes (
  id text primary key check (id ~ '^0x[0-9a-f]{64}$'),
  account_id uuid not null references app.accounts on delete cascade,
  chain_id bigint not null,
  station text not null,
  wallet text not null,
  token text not null,
  token_amount numeric(78, 0) not null check (token_amount > 0),
  native_amount numeric(78, 0) not null check (native_amount > 0),
  -- Unix seconds of the chain's time.
  deadline bigint not null,
  -- The owner's nonce in the permit that was offered; null when none was.
  permit_nonce numeric(78, 0),
  created_at timestamptz not null default now(),
  consumed_at timestamptz
);
create index gas_quotes_unused on app.gas_quotes (created_at) where consumed_at is null;

-- The next nonce of each relayer. Whoever takes one holds the row until the signed transaction is stored.
create table app.relayer_nonces (
  chain_id bigint not null,
  sender text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (chain_id, sender)
);

-- One for each nonce taken: what the relayer wants done.
create table app.relayer_transactions (
  id uuid primary key,
  chain_id bigint not null,
  sender text not null,
  nonce bigint not null,
  quote_id text not null unique references app.gas_quotes on delete restrict,
  account_id uuid not null,
  wallet text not null,
  -- Who asked: the network address of the request.
  client_address text not null,
  station text not null,
  data text not null,
  gas_limit bigint not null,
  native_amount numeric(78, 0) not null,
  -- The quote's: later than this the top-up can only revert.
  deadline bigint not null,
  state text not null default 'sent' check (state in ('sent', 'confirmed', 'failed')),
  -- Of the attempt that was mined.
  mined_hash text,
  block_number bigint,
  -- What the relayer paid for gas, in wei.
  spent numeric(78, 0) not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (chain_id, sender, nonce)
);
create index relayer_transactions_open on app.relayer_transactions (nonce) where state = 'sent';
create index relayer_transactions_recent on app.relayer_transactions (created_at);
create index relayer_transactions_wallet on app.relayer_transactions (wallet, created_at);
create index relayer_transactions_client on app.relayer_transactions (client_address, created_at);

-- The signed bytes, kept before they are sent. A stuck transaction is replaced by another attempt with its nonce.
create table app.relayer_attempts (
  hash text primary key,
  transaction_id uuid not null references app.relayer_transactions on delete cascade,
  number int not null,
  raw text not null,
  max_fee numeric(78, 0) not null,
  priority_fee numeric(78, 0) not null,
  -- Takes the nonce and does nothing: the top-up came too late.
  cancels boolean not null default false,
  created_at timestamptz not null default now(),
  broadcast_at timestamptz,
  unique (transaction_id, number)
);
