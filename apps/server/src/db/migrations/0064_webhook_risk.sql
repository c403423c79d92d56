-- Webhooks of the risk of a market, and of a recipient's fees. The indexer writes the outbox rows of fees.

-- The outbox row of a risk snapshot, in the transaction that stores it; see app.publish_signal, which this follows.
create function app.publish_risk() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  event bigint;
begin
  -- Only webhooks read the row: without one for the market, the lock would be for nothing.
  if not exists (
    select from app.webhooks w join app.markets m on m.id = new.market_id and w.match_key = 'risk:' || m.pair
  ) then
    return null;
  end if;
  lock table chain.outbox in share row exclusive mode;
  insert into chain.outbox (block_number, kind, token, payload)
  select coalesce((select block_number from chain.checkpoint), 0), 'risk', null, jsonb_build_object(
    'pair', m.pair, 'computed_at', floor(extract(epoch from new.computed_at)), 'data_through', new.data_through,
    'price', new.snapshot->'price', 'var_95', new.snapshot->'var'->'95', 'var_99', new.snapshot->'var'->'99',
    'es_95', new.snapshot->'es'->'95', 'es_99', new.snapshot->'es'->'99',
    'volatility_daily', new.card->'volatilityDaily', 'percentile_1y', new.snapshot->'volatility'->'percentile1y',
    'regime', new.snapshot->'regime'->'label', 'risk_score', new.snapshot->'riskScore')
  from app.markets m where m.id = new.market_id
  returning id into event;
  perform pg_notify('slipway_outbox', event::text);
  return null;
end $$;
revoke execute on function app.publish_risk() from public;
create trigger risk_snapshots_published after insert or update on app.risk_snapshots
  for each row execute function app.publish_risk();
