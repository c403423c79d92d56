-- A deleted account is a row without a person: its bookings in the credit ledger stay and name it alone.
alter table app.accounts add column deleted_at timestamptz;

-- A request that was under way while its account was deleted stores nothing: it waits for the deletion, which holds the
-- account's row, and is refused then. The argument is the column that names the account.
create function app.require_account() returns trigger language plpgsql as $$
begin
  perform from app.accounts where id = (to_jsonb(new) ->> tg_argv[0])::uuid and deleted_at is null for key share;
  if not found then
    raise exception 'the account does not exist or was deleted'
      using errcode = 'foreign_key_violation', constraint = 'account_deleted';
  end if;
  return new;
end $$;
create trigger api_keys_require_account before insert on app.api_keys
  for each row execute function app.require_account('account_id');
create trigger plans_require_account before insert on app.plans
  for each row execute function app.require_account('account_id');
create trigger intents_require_account before insert on app.intents
  for each row execute function app.require_account('account_id');
create trigger launches_prepared_require_account before insert on app.launches_prepared
  for each row execute function app.require_account('account_id');
create trigger gas_quotes_require_account before insert on app.gas_quotes
  for each row execute function app.require_account('account_id');
create trigger relayer_transactions_require_account before insert on app.relayer_transactions
  for each row execute function app.require_account('account_id');
create trigger account_events_require_account before insert on app.account_events
  for each row execute function app.require_account('account_id');
-- After users_account (triggers fire by name), which creates the account of a first sign-in.
create trigger users_require_account before insert on app.users
  for each row execute function app.require_account('id');

-- A handle goes with the link that proved it.
create function app.forget_handle() returns trigger language plpgsql as $$
begin
  delete from app.provider_handles where provider_id = old.provider_id and account_id = old.account_id;
  return null;
end $$;
create trigger identities_forget_handle after delete on app.identities
  for each row execute function app.forget_handle();

-- Network addresses that are still stored with top-ups; the job that erases them reads this.
create index relayer_transactions_addressed on app.relayer_transactions (created_at) where client_address <> '';
