import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../db/database.ts";
import { getOutboxRange } from "./queries.ts";

/**
 * The id after which a reader that reconnects with a cursor resumes.
 *
 * @param cursor - Decimal digits.
 * @param newest - The newest id, for an outbox that has no rows.
 * @throws SlipwayError `cursor_expired` when rows after it are gone, or when it was never issued.
 */
export async function resumeCursor(db: Queryable, cursor: string, newest: number): Promise<number> {
  const id = Number(cursor);
  const range = await getOutboxRange(db);
  const known = range === null ? id === newest : id >= range.oldest - 1 && id <= range.newest;
  if (!known) throw new SlipwayError("cursor_expired");
  return id;
}
