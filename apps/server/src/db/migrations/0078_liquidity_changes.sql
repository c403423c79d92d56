-- Pages of the changes of liquidity of a token. The other rows of chain.pool_changes are not in the index: flash loans and
-- collections, which any account can add at the price of their gas, and every 32nd trade. The index has one entry for each
-- launch, and one for each later mint or burn.
create index pool_changes_token_liquidity on chain.pool_changes (token_id, block_number, log_index)
  where kind in ('mint', 'burn');
