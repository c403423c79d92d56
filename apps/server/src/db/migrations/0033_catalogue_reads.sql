-- A page of the gallery in random order comes from this index alone: without the picture in it, each row is a page of its own.
-- A vacuum must have noted that everybody sees the rows (0008).
create index gallery_random on app.gallery (position, token) include (sha256) where shown;
drop index app.gallery_position;
alter table app.gallery set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
