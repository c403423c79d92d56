import { SlipwayError } from "@slipway/protocol/errors";
import type { Intent, Recipient } from "@slipway/protocol/intent";
import type { Queryable } from "./database.ts";

/** A recipient, and whether one account has proven its handle and its wallet. */
export type Label = Recipient & { verified: boolean };

/** `labels`: the intent's recipients as they stand now. */
export type StoredDraft = { id: string; intent: Intent; labels: Label[] };

/**
 * Loads one of the account's own drafts.
 *
 * @throws SlipwayError `draft_not_found`, the same for a draft of somebody else.
 */
export async function loadDraft(db: Queryable, accountId: string, intentId: string): Promise<StoredDraft> {
  const { rows } = await db.query<StoredDraft>(
    `select id, intent, coalesce(app.labels_of(intent), '[]') as labels from app.intents
     where id = $1 and account_id = $2`,
    [intentId, accountId],
  );
  if (!rows[0]) throw new SlipwayError("draft_not_found", undefined, { field: "intent_id" });
  return rows[0];
}
