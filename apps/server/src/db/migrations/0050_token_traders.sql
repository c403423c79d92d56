-- The traders of a token by realized profit, and by the amount that they bought and have not sold (0017, 0039). token_id 0 has
-- the profit of all tokens.
create index traders_realized on chain.traders (token_id, realized_quote, account_id)
  where realized_quote <> 0 and token_id <> 0;
create index traders_held on chain.traders (token_id, held, account_id) where held > 0;
