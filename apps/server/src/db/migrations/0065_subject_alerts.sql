-- Alerts by e-mail of events: launches, trades, price crossings, fees. Each has a row of app.webhooks, which matches and queues its
-- events; the worker joins the queued ones to one mail.
create table app.subject_alerts (
  id uuid primary key,
  account_id uuid not null references app.accounts on delete cascade,
  address_id uuid not null references app.alert_addresses on delete cascade,
  idempotency_key text not null,
  body_hash bytea not null,
  fired_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account_id, idempotency_key)
);
create index subject_alerts_address on app.subject_alerts (address_id);
create trigger subject_alerts_require_account before insert on app.subject_alerts
  for each row execute function app.require_account('account_id');

-- Null for a webhook.
alter table app.webhooks add column alert_id uuid references app.subject_alerts on delete cascade;
create index webhooks_alert on app.webhooks (alert_id) where alert_id is not null;
