-- Openings: deposits of many accounts, which the first buy of a launch spends (docs/openings.md). Addresses and hashes in
-- lower-case hex, native amounts in wei, token amounts in base units. Rows only grow, and an undo deletes them by block.

-- By the event of a pinned opening factory. `name`, `symbol` and `contract_uri` are parameters of the launch: untrusted texts,
-- exactly as on the chain. The creator chooses the salt of the launch when the opening launches.
create table chain.openings (
  address text primary key,
  factory text not null,
  creator text not null,
  name text not null,
  symbol text not null,
  contract_uri text not null,
  splitter text not null,
  partner text not null,
  fee_bps integer not null,
  params_hash text not null,
  minimum numeric(78,0) not null,
  cap numeric(78,0) not null,
  -- Unix seconds of block time.
  deadline bigint not null,
  block_number bigint not null,
  log_index integer not null,
  block_time bigint not null,
  tx_hash text not null
);
create index openings_block on chain.openings (block_number, log_index);
create index openings_creator on chain.openings (creator, block_number, log_index);

create table chain.opening_deposits (
  block_number bigint not null,
  log_index integer not null,
  opening text not null,
  account text not null,
  amount numeric(78,0) not null,
  -- The deposits of all accounts after this one.
  total numeric(78,0) not null,
  block_time bigint not null,
  tx_hash text not null,
  primary key (block_number, log_index)
);
create index opening_deposits_opening on chain.opening_deposits (opening, block_number, log_index);
create index opening_deposits_account on chain.opening_deposits (opening, account, block_number, log_index);

-- The end of the deposits before the deadline, at most one for each opening. opened: the opening launched the token. closed:
-- the token was launched without the opening.
create table chain.opening_ends (
  opening text primary key,
  kind text not null check (kind in ('opened', 'closed')),
  token text not null,
  -- Both zero if it closed.
  spent numeric(78,0) not null,
  bought numeric(78,0) not null,
  block_number bigint not null,
  log_index integer not null,
  block_time bigint not null,
  tx_hash text not null
);
create index opening_ends_block on chain.opening_ends (block_number);
create index opening_ends_token on chain.opening_ends (token);

create table chain.opening_claims (
  block_number bigint not null,
  log_index integer not null,
  opening text not null,
  account text not null,
  recipient text not null,
  tokens numeric(78,0) not null,
  refund numeric(78,0) not null,
  block_time bigint not null,
  tx_hash text not null,
  primary key (block_number, log_index)
);
create index opening_claims_opening on chain.opening_claims (opening, block_number, log_index);

-- Sums of deposits and claims by account and by opening. A sum can be zero.
create table chain.opening_accounts (
  opening text not null,
  account text not null,
  deposit numeric(120,0) not null,
  claims integer not null,
  tokens numeric(120,0) not null,
  refund numeric(120,0) not null,
  primary key (opening, account)
);
create index opening_accounts_account on chain.opening_accounts (account, opening);
create table chain.opening_sums (
  opening text primary key,
  deposit numeric(120,0) not null,
  -- Accounts with a deposit above zero.
  depositors integer not null,
  -- Accounts with a claim.
  claimants integer not null,
  tokens numeric(120,0) not null,
  refund numeric(120,0) not null
);

-- Kept by triggers, so that they are right whatever writes the events: a batch, undoing one, a copy.
create function chain.sum_opening_deposits() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from chain.opening_accounts;
    delete from chain.opening_sums;
    return null;
  end if;
  with changes as (
    select opening, account, case tg_op when 'DELETE' then -sum(amount) else sum(amount) end as amount
    from changed_rows group by 1, 2
  ), written as (
    insert into chain.opening_accounts as a (opening, account, deposit, claims, tokens, refund)
    select opening, account, amount, 0, 0, 0 from changes
    on conflict (opening, account) do update set deposit = a.deposit + excluded.deposit
    returning opening, account, deposit
  )
  insert into chain.opening_sums as s (opening, deposit, depositors, claimants, tokens, refund)
  select opening, sum(c.amount), sum((w.deposit > 0)::integer - (w.deposit - c.amount > 0)::integer), 0, 0, 0
  from changes c join written w using (opening, account) group by 1
  on conflict (opening) do update
  set deposit = s.deposit + excluded.deposit, depositors = s.depositors + excluded.depositors;
  return null;
end $$;
create trigger opening_deposits_inserted after insert on chain.opening_deposits
  referencing new table as changed_rows for each statement execute function chain.sum_opening_deposits();
create trigger opening_deposits_deleted after delete on chain.opening_deposits
  referencing old table as changed_rows for each statement execute function chain.sum_opening_deposits();
create trigger opening_deposits_truncated after truncate on chain.opening_deposits
  for each statement execute function chain.sum_opening_deposits();

create function chain.sum_opening_claims() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  with changes as (
    select opening, account, sign * count(*)::integer as claims, sign * sum(tokens) as tokens, sign * sum(refund) as refund
    from changed_rows group by 1, 2
  ), written as (
    insert into chain.opening_accounts as a (opening, account, deposit, claims, tokens, refund)
    select opening, account, 0, claims, tokens, refund from changes
    on conflict (opening, account) do update
    set claims = a.claims + excluded.claims, tokens = a.tokens + excluded.tokens, refund = a.refund + excluded.refund
    returning opening, account, claims
  )
  insert into chain.opening_sums as s (opening, deposit, depositors, claimants, tokens, refund)
  select opening, 0, 0, sum((w.claims > 0)::integer - (w.claims - c.claims > 0)::integer), sum(c.tokens), sum(c.refund)
  from changes c join written w using (opening, account) group by 1
  on conflict (opening) do update set claimants = s.claimants + excluded.claimants, tokens = s.tokens + excluded.tokens,
    refund = s.refund + excluded.refund;
  return null;
end $$;
create trigger opening_claims_inserted after insert on chain.opening_claims
  referencing new table as changed_rows for each statement execute function chain.sum_opening_claims();
create trigger opening_claims_deleted after delete on chain.opening_claims
  referencing old table as changed_rows for each statement execute function chain.sum_opening_claims();
-- An index that is emptied loses deposits and claims together: the trigger of the deposits deletes the sums.
