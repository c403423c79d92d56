-- The key of balances in the order of the wallet's index, which it replaces: `on conflict` finds it in any order.
alter table chain.balances drop constraint balances_pkey;
alter table chain.balances add constraint balances_pkey primary key (account_id, token_id);
drop index chain.balances_wallet;
