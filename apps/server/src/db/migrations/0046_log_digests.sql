-- SHA-256 of the logs of the range; null: an earlier version indexed the range, and only its number of logs is compared.
alter table chain.unconfirmed_ranges add column digest text;
-- The range was read near the head. It is checked when it is final.
alter table chain.unconfirmed_ranges add column recent boolean not null default false;
