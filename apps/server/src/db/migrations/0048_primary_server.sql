-- The primary server, so that a process knows whether a replica follows the same primary: WAL positions of different
-- primaries are not comparable. API processes with replicas write the row when they find another primary.
create table app.primary_server (
  id boolean primary key default true check (id),
  -- Unix seconds at which the primary's program started, with microseconds.
  started text not null
);
