-- Where a page of trades or candles ends is read from the index alone, without the rows. PostgreSQL does so where a
-- vacuum has noted that everybody sees them; by default it vacuums when a fifth of a table is new. A hundredth keeps a
-- token's newest rows among the noted ones. Each row is still vacuumed once, so it costs nothing more.
alter table chain.trades set (autovacuum_vacuum_insert_scale_factor = 0.01);
alter table chain.candles set (autovacuum_vacuum_insert_scale_factor = 0.01);
