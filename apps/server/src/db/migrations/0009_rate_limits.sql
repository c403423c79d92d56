-- Fixed windows of rate limits that several API processes share, in the form that rate-limiter-flexible expects (columns
-- are addressed by position). A row whose window has ended has no meaning and may be deleted. app.rate_buckets is used by
-- earlier versions only.
--
-- Unlogged: it is written often, and losing it in a crash only starts every window anew.
create unlogged table app.rate_limits (
  -- Policy and subject, e.g. write:192.0.2.7.
  key text primary key,
  -- Consumed in this window.
  points integer not null,
  -- End of the window, in milliseconds since the Unix epoch.
  expire bigint
);
