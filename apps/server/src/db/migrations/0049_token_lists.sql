-- Lists of tokens in further orders, and by creator, partner, age, liquidity and volume.

-- Value of the locked position in whole wrapped native at the pool's price (packages/protocol/src/lockedPosition.ts). The
-- index is rebuilt once to fill the column (indexer/sources.ts); null in rows of an earlier version.
alter table chain.token_state add column liquidity_quote double precision;

create index token_state_liquidity on chain.token_state (liquidity_quote desc nulls last, token_id desc);
create index token_state_trades on chain.token_state (trades_24h desc, token_id desc);
create index token_state_last_trade on chain.token_state (last_trade_time desc nulls last, token_id desc);
create index tokens_partner on chain.tokens (partner, id) where partner is not null;
create index tokens_time on chain.tokens (block_time, id);
