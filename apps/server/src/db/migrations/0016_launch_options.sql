-- Choices of a launch beyond its intent (packages/protocol/src/launchOptions.ts); null when none were put. The time says
-- which choices: every change has another one.
alter table app.intents add column options jsonb, add column options_changed_at timestamptz;

-- The options that the launch was built with: those of the draft at that time.
alter table app.launches_prepared add column options_changed_at timestamptz;

-- Splitter deployments that were handed out: by which wallets a draft's splitter can have been made.
create table app.splitters_prepared (
  intent_id uuid not null references app.intents on delete cascade,
  -- Lower case.
  wallet text not null,
  method text not null check (method in ('creation', 'factory')),
  -- The wallet's nonce at which it was prepared: it was created with this one or a later one.
  account_nonce bigint not null,
  created_at timestamptz not null default now(),
  primary key (intent_id, wallet, method, account_nonce)
);
