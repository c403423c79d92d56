import { SlipwayError } from "@slipway/protocol/errors";
import type { Intent } from "@slipway/protocol/intent";
import type { Queryable } from "./database.ts";

export type StoredDraft = { id: string; intent: Intent };

/**
 * Loads one of the account's own drafts.
 *
 * @throws SlipwayError `draft_not_found`, the same for a draft of somebody else.
 */
export async function loadDraft(db: Queryable, accountId: string, intentId: string): Promise<StoredDraft> {
  const { rows } = await db.query<StoredDraft>("select id, intent from app.intents where id = $1 and account_id = $2", [
    intentId,
    accountId,
  ]);
  if (!rows[0]) throw new SlipwayError("draft_not_found", undefined, { field: "intent_id" });
  return rows[0];
}
