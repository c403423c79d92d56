-- Which account has which picture stored, and what it takes: an account has a quota. A row is written before the objects of
-- the picture, so that uploads at the same time see each other. A picture that several accounts have sent counts for each of
-- them. Pictures that were stored before count for no account until they are sent again.
create table app.account_images (
  account_id uuid not null references app.accounts on delete cascade,
  -- Of app.images, which gets its row last.
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- Of the picture and its smaller versions.
  bytes bigint not null check (bytes > 0),
  created_at timestamptz not null default now(),
  primary key (account_id, sha256)
);
create trigger account_images_require_account before insert on app.account_images
  for each row execute function app.require_account('account_id');
