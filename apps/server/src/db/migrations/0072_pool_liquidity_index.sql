-- Pages of events read mints and burns by block. Other changes, such as flash loans, cost only their gas, and do not delay
-- these pages.
create index pool_changes_liquidity on chain.pool_changes (block_number, log_index) where kind in ('mint', 'burn');
