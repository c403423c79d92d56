import type { Queryable } from "../db/database.ts";

/** A row of the outbox as far as caches need it. */
export type OutboxChange = {
  id: number;
  kind: string;
  /** Lower-case address; null where the row speaks of no single token. */
  token: string | null;
  /** Addresses of a `state` or `retracted` row: all tokens it touched. */
  tokens: string[] | null;
};

/** The newest outbox id; 0 while there is none. */
export async function newestOutboxId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>("select coalesce(max(id), 0) as id from chain.outbox");
  return rows[0]!.id;
}

/** What changed after a cursor, oldest first. */
export async function outboxChanges(db: Queryable, after: number, limit: number): Promise<OutboxChange[]> {
  const { rows } = await db.query<OutboxChange>(
    `select id, kind, token,
       case when kind in ('state', 'retracted') then
         array(select jsonb_array_elements_text(coalesce(payload->'tokens', '[]') || coalesce(payload->'launches', '[]')))
       end as tokens
     from chain.outbox where id > $1 order by id limit $2`,
    [after, limit],
  );
  return rows;
}

/**
 * Whether rows between a cursor and the first row after it may be gone. Ids have gaps too, of commits that failed: where
 * something at or before the cursor is still there, nothing after it was pruned.
 */
export async function mayBePruned(db: Queryable, cursor: number, firstAfter: number): Promise<boolean> {
  // 0: it was empty, and nothing was known.
  if (cursor === 0 || firstAfter <= cursor + 1) return false;
  const { rows } = await db.query<{ reaches: boolean }>(
    "select exists (select from chain.outbox where id <= $1) as reaches",
    [cursor],
  );
  return !rows[0]!.reaches;
}

/** A row of the outbox with what it says. */
export type OutboxRow = { id: number; kind: string; token: string | null; payload: Record<string, unknown> };

/** What was told after a cursor, oldest first. */
export async function outboxRows(db: Queryable, after: number, limit: number): Promise<OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>({
    name: "outbox-rows",
    text: "select id, kind, token, payload from chain.outbox where id > $1 order by id limit $2",
    values: [after, limit],
  });
  return rows;
}

/** The oldest and the newest id that the outbox still has; null when it is empty. */
export async function outboxRange(db: Queryable): Promise<{ oldest: number; newest: number } | null> {
  const { rows } = await db.query<{ oldest: number | null; newest: number }>(
    "select min(id) as oldest, max(id) as newest from chain.outbox",
  );
  const { oldest, newest } = rows[0]!;
  return oldest === null ? null : { oldest, newest };
}
