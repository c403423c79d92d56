import { SlipwayError } from "@slipway/protocol/errors";
import { draftPageSize, type Intent, maxDrafts } from "@slipway/protocol/intent";
import { checksummed } from "@slipway/protocol/primitives";
import type pg from "pg";
import { recordAccountEvent } from "../../accounts/accountEvents.ts";
import type { Client, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

export type IntentRow = { id: string; intent: Intent; body_hash: Buffer; created_at: Date };

type NewIntent = { id: string; accountId: string; idempotencyKey: string; bodyHash: Uint8Array; intent: Intent };

/**
 * Stores a draft, or finds the one that the account has stored with this idempotency key.
 *
 * @throws SlipwayError `too_many_drafts`.
 */
export async function storeIntent(pool: pg.Pool, row: NewIntent): Promise<{ stored: IntentRow; isNew: boolean }> {
  for (;;) {
    const added = await withTransaction(pool, (client) => insertIntent(client, row));
    if (added !== null) return { stored: added, isNew: true };
    const earlier = await findIntentByKey(pool, row.accountId, row.idempotencyKey);
    // Null: deleted since, and with it the use of the key.
    if (earlier !== null) return { stored: earlier, isNew: false };
  }
}

/** @returns null, without storing it, when the account has used the idempotency key before. */
async function insertIntent(client: Client, row: NewIntent): Promise<IntentRow | null> {
  const { rows } = await client.query<IntentRow>(
    `insert into app.intents (id, account_id, idempotency_key, body_hash, intent)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, idempotency_key) do nothing
     returning id, intent, body_hash, created_at`,
    [row.id, row.accountId, row.idempotencyKey, row.bodyHash, row.intent],
  );
  if (rows[0] === undefined) return null;
  // Concurrent drafts of the account wait here, and count those that were committed before them.
  await client.query("select from app.accounts where id = $1 for no key update", [row.accountId]);
  const counted = await client.query<{ drafts: number }>(
    "select count(*)::int as drafts from app.intents where account_id = $1",
    [row.accountId],
  );
  if (counted.rows[0]!.drafts > maxDrafts) throw new SlipwayError("too_many_drafts");
  return rows[0];
}

async function findIntentByKey(db: Queryable, accountId: string, idempotencyKey: string): Promise<IntentRow | null> {
  const { rows } = await db.query<IntentRow>(
    `select id, intent, body_hash, created_at from app.intents where account_id = $1 and idempotency_key = $2`,
    [accountId, idempotencyKey],
  );
  return rows[0] ?? null;
}

/**
 * Lists a page of the account's drafts, newest first.
 *
 * @param before - `nextBefore` of the previous page: microseconds since the epoch and an id.
 */
export async function listIntents(
  db: Queryable,
  accountId: string,
  before: string | undefined,
): Promise<{ rows: IntentRow[]; nextBefore: string | null }> {
  const [time = null, id = null] = before?.split(".") ?? [];
  const { rows } = await db.query<IntentRow & { position: string }>(
    `select id, intent, body_hash, created_at, (extract(epoch from created_at) * 1000000)::bigint::text as position
     from app.intents
     where account_id = $1 and ($2::bigint is null
       or (created_at, id) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
     order by created_at desc, id desc limit ${draftPageSize}`,
    [accountId, time, id],
  );
  const last = rows.length === draftPageSize ? rows.at(-1) : undefined;
  return { rows, nextBefore: last === undefined ? null : `${last.position}.${last.id}` };
}

/** Tokens that an event names at most. */
const maxNamedTokens = 20;

/**
 * Deletes a draft, and with it for which launches it was prepared: their labels. The owner gets an event of these, since
 * a key is enough to delete a draft.
 *
 * @returns False when the account has no such draft.
 */
export async function deleteIntent(pool: pg.Pool, accountId: string, id: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    // Launches that are being prepared from it wait, and do not find it then.
    const { rowCount } = await client.query("select from app.intents where id = $1 and account_id = $2 for update", [
      id,
      accountId,
    ]);
    if (rowCount !== 1) return false;
    const { rows } = await client.query<{ token: string }>(
      `select token from app.launches_prepared where intent_id = $1 order by created_at desc limit ${maxNamedTokens}`,
      [id],
    );
    await client.query("delete from app.intents where id = $1", [id]);
    const tokens = rows.map(({ token }) => checksummed(token));
    if (tokens.length > 0) await recordAccountEvent(client, accountId, "draft_deleted", { draft_id: id, tokens });
    return true;
  });
}
