-- Null: no swap has reported the liquidity of the ETH/USD pool yet. 0: the pool had none after its last swap. The index is
-- rebuilt once (0039), which writes the nulls.
alter table chain.eth_usd alter column liquidity drop not null;
