-- Usually the account of a trade (0039) is its maker, so chain.trades_account finds the trades of a maker too. Only
-- trades of another maker need an index.
create index trades_other_maker on chain.trades (maker_id, block_number, log_index) include (token_id, is_buy)
  where account_id is distinct from maker_id;
drop index chain.trades_maker;
