import type { Queryable } from "../db/database.ts";
import {
  type OutboxChange,
  type OutboxChangeColumns,
  type OutboxColumns,
  type OutboxEvent,
  parseOutboxChange,
  parseOutboxEvent,
} from "./outboxEvent.ts";

/** Returns the newest outbox id; 0 for an empty outbox. */
export async function getNewestOutboxId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>("select coalesce(max(id), 0) as id from chain.outbox");
  return rows[0]!.id;
}

/** SQL of the changes after the id $1, oldest first, at most $2. */
export const selectOutboxChanges = `
  select id, kind, payload->'schema_version' as schema_version, token,
    case when kind in ('state', 'retracted') then
      array(select jsonb_array_elements_text(coalesce(payload->'tokens', '[]') || coalesce(payload->'launches', '[]')))
    end as tokens
  from chain.outbox where id > $1 order by id limit $2`;

/** A change, and its id in the outbox. */
export type StoredChange = { id: number; change: OutboxChange };
export type StoredChangeRow = { id: number } & OutboxChangeColumns;

export function toStoredChange(row: StoredChangeRow): StoredChange {
  return { id: row.id, change: parseOutboxChange(row) };
}

/** Reads the changes after a cursor, oldest first. */
export async function listOutboxChanges(db: Queryable, after: number, limit: number): Promise<StoredChange[]> {
  const { rows } = await db.query<StoredChangeRow>(selectOutboxChanges, [after, limit]);
  return rows.map(toStoredChange);
}

/**
 * Whether rows between a cursor and the first row after it may have been pruned. Ids also have gaps from failed
 * transactions. If a row at or before the cursor still exists, no row after the cursor was pruned.
 */
export async function mayHavePrunedRows(db: Queryable, cursor: number, firstAfter: number): Promise<boolean> {
  // Cursor 0 means that the outbox was empty, so no row was missed.
  if (cursor === 0 || firstAfter <= cursor + 1) return false;
  const { rows } = await db.query<{ reaches: boolean }>(
    "select exists (select from chain.outbox where id <= $1) as reaches",
    [cursor],
  );
  return !rows[0]!.reaches;
}

/** Reads the events after a cursor, oldest first. */
export async function listOutboxEvents(
  db: Queryable,
  after: number,
  limit: number,
): Promise<{ id: number; event: OutboxEvent | { kind: "unknown" } }[]> {
  const { rows } = await db.query<{ id: number } & OutboxColumns>({
    name: "outbox-rows",
    text: "select id, kind, token, payload from chain.outbox where id > $1 order by id limit $2",
    values: [after, limit],
  });
  return rows.map((row) => ({ id: row.id, event: parseOutboxEvent(row) }));
}

/** Returns the oldest and the newest id in the outbox; null if the outbox is empty. */
export async function getOutboxRange(db: Queryable): Promise<{ oldest: number; newest: number } | null> {
  const { rows } = await db.query<{ oldest: number | null; newest: number }>(
    "select min(id) as oldest, max(id) as newest from chain.outbox",
  );
  const { oldest, newest } = rows[0]!;
  return oldest === null ? null : { oldest, newest };
}
