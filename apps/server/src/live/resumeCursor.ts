import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../db/database.ts";
import { getOutboxRange } from "./queries.ts";

/**
 * Returns the id after which a reader with a cursor resumes.
 *
 * @param cursor - Decimal digits.
 * @param newest - The newest id, used if the outbox has no rows.
 * @throws SlipwayError `cursor_expired` if rows after the cursor were deleted, or the cursor was never issued.
 */
export async function resumeCursor(db: Queryable, cursor: string, newest: number): Promise<number> {
  const id = Number(cursor);
  const range = await getOutboxRange(db);
  const isValid = range === null ? id === newest : id >= range.oldest - 1 && id <= range.newest;
  if (!isValid) throw new SlipwayError("cursor_expired");
  return id;
}
