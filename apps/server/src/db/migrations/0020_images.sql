-- Uploaded pictures, each once, by the SHA-256 of our own encoding. A row is written when all its objects are in the
-- storage: without a row an object is not served.
create table app.images (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  -- Version 1, base32: the name of the same bytes on IPFS.
  cid text not null,
  content_type text not null,
  bytes integer not null,
  width integer not null,
  height integer not null,
  animated boolean not null,
  blurhash text not null,
  dominant_color text not null,
  -- An administrator blocked it: it is not served.
  blocked_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index images_cid on app.images (cid);
