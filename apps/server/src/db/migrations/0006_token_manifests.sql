-- Documents about launches that stand outside the chain: an ERC-7572 document at an https or ipfs URI, which a launch
-- made directly at the factory can name. A job fetches them; requests only read them.
--
-- One row a launch is at once the queue (next_at), the cache (what the document says) and the record of what changed
-- (change): a second queue or outbox would only repeat it.

create sequence app.token_manifest_changes;

create table app.token_manifests (
  -- The launch token, lower case. Its URI never changes: the address depends on it.
  token text primary key,
  uri text not null,
  -- Due from then on; null: never again. Who claims a row moves it beyond the end of the fetch, so that the row of a
  -- process that died comes back by itself.
  next_at timestamptz default now(),
  -- Fetches begun since the last that succeeded; it also tells one claim from the next.
  attempts int not null default 0,
  -- Why the last fetch failed; null when it did not, or there was none.
  error text,
  -- What the last document that was fetched says; cleaned, untrusted.
  description text,
  image text,
  website text,
  -- SHA-256 of that document; null: none was ever fetched.
  sha256 bytea check (length(sha256) = 32),
  -- For conditional requests.
  etag text,
  last_modified text,
  fetched_at timestamptz,
  -- Grows with every change that answers show, in the order of commits: writers take turns (see db/tokenManifests.ts).
  change bigint not null default nextval('app.token_manifest_changes')
);
create index token_manifests_due on app.token_manifests (next_at) where next_at is not null;
create unique index token_manifests_change on app.token_manifests (change);

-- The launches that name such a document.
create index tokens_outside_manifest on chain.tokens (id) where contract_uri ~* '^(https|ipfs)://';
