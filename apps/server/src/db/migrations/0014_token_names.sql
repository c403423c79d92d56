-- Names that are confusable with that of an earlier launch. A job of the worker fills both tables in the order of the
-- launches; the rows of a launch that a reorganisation removed have no effect, and a token's name never changes.

-- The first token of each key (packages/protocol/src/confusables.ts).
create table app.token_name_keys (
  key text primary key,
  -- Lower case.
  token text not null
);

-- The tokens whose name was compared, each with the earlier token that it resembles, if any.
create table app.token_names (
  token text primary key,
  resembles text
);
