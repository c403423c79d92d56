import type { Intent } from "@slipway/protocol/intent";
import type { Queryable } from "../../db/database.ts";

/** Drafts of a listing. */
const maxListedDrafts = 50;

export type IntentRow = { id: string; intent: Intent; body_hash: Buffer; created_at: Date };

/** Stores a draft. @returns null, without storing it, when the account has used the idempotency key before. */
export async function insertIntent(
  db: Queryable,
  row: { id: string; accountId: string; idempotencyKey: string; bodyHash: Uint8Array; intent: Intent },
): Promise<IntentRow | null> {
  const { rows } = await db.query<IntentRow>(
    `insert into app.intents (id, account_id, idempotency_key, body_hash, intent)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, idempotency_key) do nothing
     returning id, intent, body_hash, created_at`,
    [row.id, row.accountId, row.idempotencyKey, row.bodyHash, row.intent],
  );
  return rows[0] ?? null;
}

export async function findIntentByKey(
  db: Queryable,
  accountId: string,
  idempotencyKey: string,
): Promise<IntentRow | null> {
  const { rows } = await db.query<IntentRow>(
    `select id, intent, body_hash, created_at from app.intents where account_id = $1 and idempotency_key = $2`,
    [accountId, idempotencyKey],
  );
  return rows[0] ?? null;
}

/** Lists the account's latest drafts, newest first. */
export async function listIntents(db: Queryable, accountId: string): Promise<IntentRow[]> {
  const { rows } = await db.query<IntentRow>(
    `select id, intent, body_hash, created_at from app.intents
     where account_id = $1 order by created_at desc, id desc limit ${maxListedDrafts}`,
    [accountId],
  );
  return rows;
}
