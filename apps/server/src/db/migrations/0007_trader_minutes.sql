-- How many wallets last traded any token in each minute: the wallets that traded since some minute are the sum from
-- there on, where counting them in chain.traders reads as many rows as there are traders. No row: none.
create table chain.trader_minutes (
  -- Unix seconds of the minute's start.
  t bigint primary key,
  traders integer not null check (traders > 0)
);

-- Kept by triggers, so that it is right whatever writes chain.traders: a batch, undoing one, a copy.
create function chain.count_trader_minutes() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from chain.trader_minutes;
    return null;
  end if;
  -- token_id 0 is any token.
  if tg_op <> 'INSERT' then
    merge into chain.trader_minutes m using (
      select last_time - last_time % 60 as t, count(*)::integer as traders from before_rows where token_id = 0 group by 1
    ) gone on m.t = gone.t
    when matched and m.traders = gone.traders then delete
    when matched then update set traders = m.traders - gone.traders;
  end if;
  if tg_op <> 'DELETE' then
    insert into chain.trader_minutes as m (t, traders)
    select last_time - last_time % 60, count(*)::integer from after_rows where token_id = 0 group by 1
    on conflict (t) do update set traders = m.traders + excluded.traders;
  end if;
  return null;
end $$;

create trigger traders_inserted after insert on chain.traders
  referencing new table as after_rows for each statement execute function chain.count_trader_minutes();
create trigger traders_updated after update on chain.traders
  referencing old table as before_rows new table as after_rows
  for each statement execute function chain.count_trader_minutes();
create trigger traders_deleted after delete on chain.traders
  referencing old table as before_rows for each statement execute function chain.count_trader_minutes();
create trigger traders_truncated after truncate on chain.traders
  for each statement execute function chain.count_trader_minutes();

insert into chain.trader_minutes (t, traders)
select last_time - last_time % 60, count(*) from chain.traders where token_id = 0 group by 1;
