-- Pictures that accounts uploaded are pinned; those that a job fetched for tokens are not ours to publish.
alter table app.images add column uploaded boolean not null default true;

-- The picture of each launched token, fetched and processed by a job; requests only read it. A row is at once the queue
-- (next_at) and the result, as in app.token_manifests.
create table app.token_images (
  -- The launch token, lower case.
  token text primary key,
  -- The picture's address as the launch, or its document outside the chain, names it.
  uri text not null,
  -- The processed picture; null: none yet.
  sha256 bytea references app.images (sha256) on delete set null,
  -- Due from then on; null: never again. A claim moves it beyond the end of the fetch.
  next_at timestamptz default now(),
  -- Attempts begun since the last success.
  attempts integer not null default 0,
  -- Why the last attempt failed.
  error text,
  processed_at timestamptz
);
create index token_images_due on app.token_images (next_at) where next_at is not null;
create index token_images_sha256 on app.token_images (sha256);
