-- Publishes the account of a credential or plan that has ended, so that every process verifies its open connections of that
-- account at once. A credential that expires publishes nothing: processes know its end.
create function app.notify_credential_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('slipway_credentials', to_jsonb(old) ->> tg_argv[0]);
  return null;
end $$;

create trigger api_keys_ended after update of revoked_at, expires_at, scopes or delete on app.api_keys
  for each row execute function app.notify_credential_ended('account_id');
create trigger plans_ended after update or delete on app.plans
  for each row execute function app.notify_credential_ended('account_id');
-- The deletion of expired sessions concerns no one any more.
create trigger sessions_ended after delete on app.sessions
  for each row when (old.expires_at > now()) execute function app.notify_credential_ended('user_id');
create trigger sessions_shortened after update of expires_at on app.sessions
  for each row when (new.expires_at < old.expires_at) execute function app.notify_credential_ended('user_id');
