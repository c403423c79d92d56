import type { Queryable } from "../db/database.ts";

/**
 * Deletes the queued messages of webhooks that were deleted. Not in the transaction that deletes the webhooks, because the
 * jobs lock messages and webhooks in both orders. If it fails, the messages expire in a day.
 */
export async function deleteQueued(db: Queryable, webhookIds: readonly string[]): Promise<void> {
  await db
    .query("delete from app.webhook_deliveries where webhook_id = any($1) and state = 'queued'", [webhookIds])
    .catch(() => undefined);
}
