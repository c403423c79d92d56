import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../db/database.ts";
import { outboxRange } from "./queries.ts";

/**
 * Where a reader that comes back with a cursor goes on.
 *
 * @param cursor - Decimal digits.
 * @param newest - The newest id, for an outbox that has no rows.
 * @throws SlipwayError `cursor_expired` when rows after it are gone, or when it was never given out.
 */
export async function startAfter(db: Queryable, cursor: string, newest: number): Promise<number> {
  const id = Number(cursor);
  const range = await outboxRange(db);
  const known = range === null ? id === newest : id >= range.oldest - 1 && id <= range.newest;
  if (!known) throw new SlipwayError("cursor_expired");
  return id;
}
