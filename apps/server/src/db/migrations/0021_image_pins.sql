-- Which pictures are pinned to IPFS, and when the others are tried again.
create table app.image_pins (
  sha256 bytea primary key references app.images (sha256) on delete cascade,
  -- Failed attempts.
  attempts integer not null default 0,
  -- When it is tried again; of an attempt in progress when its claim ends; null: pinned, or given up.
  next_at timestamptz,
  -- Code of the last failure; null while an attempt is in progress.
  error text,
  pinned_at timestamptz
);
create index image_pins_due on app.image_pins (next_at) where pinned_at is null;
