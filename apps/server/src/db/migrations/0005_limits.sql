-- Token buckets that several API processes share, each as the moment at which it is full again: what was taken moves the
-- moment on, time passing needs no write. A row whose moment has passed says nothing and may go.
--
-- Unlogged: it is written often and worth nothing after a crash, when every bucket is full again.
create unlogged table app.rate_buckets (
  -- Policy and subject, e.g. read:192.0.2.7.
  key text primary key,
  full_at timestamptz not null
);
