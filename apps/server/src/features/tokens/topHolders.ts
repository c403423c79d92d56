/** SQL of the sum of the ten largest balances of `chain.tokens t`, without the pool, the locker and burn addresses. */
export const selectTop10 = `(
  select coalesce(sum(h.balance), 0) from (
    select b.balance from chain.balances b
    where b.token_id = t.id and b.account_id <> all (array(
      select id from chain.accounts where address in (
        decode(substr(t.pool, 3), 'hex'), decode(substr(d.fee_locker, 3), 'hex'),
        '\\x0000000000000000000000000000000000000000', '\\x000000000000000000000000000000000000dead')))
    order by b.balance desc limit 10
  ) h)`;
