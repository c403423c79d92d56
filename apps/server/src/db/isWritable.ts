import type { Queryable } from "./database.ts";

/** Returns whether a server takes writes: not a replica, and not a server that the operator made read-only. */
export async function isWritable(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ is_writable: boolean }>(
    "select not current_setting('transaction_read_only')::bool as is_writable",
  );
  return rows[0]!.is_writable;
}
