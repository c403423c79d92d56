import { SlipwayError } from "@slipway/protocol/errors";
import {
  type DeliveryError,
  maxWebhooks,
  type WebhookChange,
  type WebhookSubject,
  type webhookMessageTypes,
} from "@slipway/protocol/webhooks";
import { lockAccount } from "../../accounts/accounts.ts";
import { deleteQueued } from "../../accounts/deleteQueued.ts";
import { getActivePlan } from "../../accounts/plans.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { toStoredSubject } from "../../live/subjectKeys.ts";

/** How long messages are also signed with the secret before a rotation. */
const rotationInterval = "24 hours";

export type WebhookToStore = {
  id: string;
  accountId: string;
  idempotencyKey: string;
  bodyHash: Uint8Array;
  url: string;
  host: string;
  subject: WebhookSubject;
  /** The encrypted secret. */
  sealed: Buffer;
};

/**
 * Stores a webhook that gets the messages from now on.
 *
 * @returns The id of the webhook; the id of the earlier one if the key was used with the same body.
 * @throws SlipwayError `idempotency_key_reused`, `too_many_webhooks`.
 */
export async function storeWebhook(
  pool: Database["api"],
  row: WebhookToStore,
): Promise<{ id: string; isNew: boolean }> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, row.accountId);
    const { rows: earlier } = await client.query<{ id: string; body_hash: Buffer }>(
      "select id, body_hash from app.webhooks where account_id = $1 and idempotency_key = $2",
      [row.accountId, row.idempotencyKey],
    );
    if (earlier[0] !== undefined) {
      if (!earlier[0].body_hash.equals(row.bodyHash)) throw new SlipwayError("idempotency_key_reused");
      return { id: earlier[0].id, isNew: false };
    }
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from app.webhooks where account_id = $1 and alert_id is null",
      [row.accountId],
    );
    if (rows[0]!.count >= (await getMaxWebhooks(client, row.accountId))) throw new SlipwayError("too_many_webhooks");
    await requirePlan(client, row.accountId, row.subject);
    await insertWebhook(client, row);
    return { id: row.id, isNew: true };
  });
}

/** @throws SlipwayError `plan_required` for the risk of a market, which only subscribers get. */
async function requirePlan(client: Client, accountId: string, subject: WebhookSubject): Promise<void> {
  if (subject.kind !== "risk") return;
  const plan = await getActivePlan(client, accountId);
  if (plan?.plan !== "subscriber") throw new SlipwayError("plan_required");
}

async function insertWebhook(client: Client, row: WebhookToStore): Promise<void> {
  const { matchKey, minAmount, crossing } = toStoredSubject(row.subject);
  await client.query(
    `insert into app.webhooks (id, account_id, idempotency_key, body_hash, url, host, subject, match_key, min_amount,
       price_op, price, secret, is_slow, cursor)
     -- Until its endpoint has answered in time, it takes no connection of those that have.
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, true, (select coalesce(max(id), 0) from chain.outbox))`,
    [
      ...[row.id, row.accountId, row.idempotencyKey, row.bodyHash, row.url, row.host, row.subject],
      ...[matchKey, minAmount, crossing?.op ?? null, crossing?.price ?? null, row.sealed],
    ],
  );
}

/** Returns the maximum number of webhooks of an account, by its plan. */
export async function getMaxWebhooks(db: Queryable, accountId: string): Promise<number> {
  const plan = await getActivePlan(db, accountId);
  return plan?.plan === "subscriber" ? maxWebhooks.subscriber : maxWebhooks.free;
}

export type WebhookRow = {
  id: string;
  url: string;
  subject: WebhookSubject;
  state: "enabled" | "paused" | "disabled";
  disabled_reason: "failing" | "gone" | "plan" | null;
  failing_since: Date | null;
  error: DeliveryError | null;
  previous_until: Date | null;
  created_at: Date;
};

const columns = `id, url, subject, state, disabled_reason, failing_since, error, created_at,
  case when previous_until > now() then previous_until end as previous_until`;

/** Lists the webhooks of an account, newest first. */
export async function listWebhooks(db: Queryable, accountId: string): Promise<WebhookRow[]> {
  const { rows } = await db.query<WebhookRow>(
    `select ${columns} from app.webhooks where account_id = $1 and alert_id is null order by created_at desc, id desc`,
    [accountId],
  );
  return rows;
}

type OwnWebhook = { accountId: string; id: string };

/**
 * Changes the URL or the state of a webhook. A paused webhook keeps the cursor of its last message; enabling it ends its
 * failures and continues there.
 *
 * @returns Null if the account has no such webhook.
 * @throws SlipwayError `too_many_webhooks` if the plan does not allow one more enabled webhook, `plan_required`.
 */
export async function changeWebhook(
  pool: Database["api"],
  { accountId, id }: OwnWebhook,
  { url, status }: WebhookChange,
  host: string | null,
): Promise<WebhookRow | null> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    // A pass over the outbox holds this lock: afterwards, the cursor says exactly what it has matched.
    await client.query("select from app.webhook_cursor for share");
    const { rows } = await client.query<WebhookRow>(
      // A new URL is tried at once, as an endpoint that has not answered yet.
      `update app.webhooks set url = coalesce($3, url), host = coalesce($4, host), is_slow = is_slow or $3::text is not null,
         next_at = case when $3::text is null or next_at is null then next_at else now() end
       where id = $1 and account_id = $2 returning ${columns}`,
      [id, accountId, url ?? null, host],
    );
    const row = rows[0];
    if (row === undefined) return null;
    if (status === undefined || status === row.state) return row;
    if (status === "enabled") {
      await requireRoom(client, accountId);
      await requirePlan(client, accountId, row.subject);
    }
    const { rows: changed } = await client.query<WebhookRow>(
      status === "paused"
        ? `update app.webhooks set state = 'paused', disabled_reason = null, next_at = null,
             cursor = coalesce(cursor, (select position from app.webhook_cursor)) where id = $1 returning ${columns}`
        : `update app.webhooks set state = 'enabled', disabled_reason = null, failures = 0, failing_since = null, error = null,
             is_full = false, next_at = now() where id = $1 returning ${columns}`,
      [id],
    );
    return changed[0]!;
  });
}

async function requireRoom(client: Client, accountId: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int as count from app.webhooks where account_id = $1 and state = 'enabled' and alert_id is null",
    [accountId],
  );
  if (rows[0]!.count >= (await getMaxWebhooks(client, accountId))) throw new SlipwayError("too_many_webhooks");
}

/**
 * Deletes a webhook and its queued messages, so that webhooks that are created, filled and deleted again do not fill the
 * database; rows of sent messages expire.
 *
 * @returns False if the account has no such webhook.
 */
export async function deleteWebhook(db: Queryable, { accountId, id }: OwnWebhook): Promise<boolean> {
  const { rowCount } = await db.query("delete from app.webhooks where id = $1 and account_id = $2", [id, accountId]);
  if (rowCount !== 1) return false;
  await deleteQueued(db, [id]);
  return true;
}

export type DeliveryRow = {
  message_id: string;
  position: number;
  type: (typeof webhookMessageTypes)[number];
  state: "queued" | "delivered" | "failed" | "cancelled";
  attempts: number;
  response_status: number | null;
  error: DeliveryError | null;
  created_at: Date;
  finished_at: Date | null;
};

/** Lists a page of the messages of a webhook, newest first; null if the account has no such webhook. */
export async function listDeliveries(
  db: Queryable,
  { accountId, id }: OwnWebhook,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<DeliveryRow[] | null> {
  if (!(await isOwner(db, { accountId, id }))) return null;
  const { rows } = await db.query<DeliveryRow>(
    `select message_id, position::float8 as position, type, state, attempts, response_status, error, created_at, finished_at
     from app.webhook_deliveries where webhook_id = $1 and ($3::bigint is null or position < $3)
     order by position desc limit $2`,
    [id, limit, before ?? null],
  );
  return rows;
}

async function isOwner(db: Queryable, { accountId, id }: OwnWebhook): Promise<boolean> {
  const { rowCount } = await db.query("select from app.webhooks where id = $1 and account_id = $2", [id, accountId]);
  return rowCount === 1;
}

/**
 * Moves the cursor of a webhook back; the next passes queue the messages after it again.
 *
 * @returns The cursor from which it continues; null if the account has no such webhook.
 */
export async function replayWebhook(
  db: Queryable,
  { accountId, id }: OwnWebhook,
  from: number,
): Promise<number | null> {
  const { rows } = await db.query<{ cursor: number }>(
    `update app.webhooks set cursor = least($3::bigint, coalesce(cursor, (select position from app.webhook_cursor)))
     where id = $1 and account_id = $2 returning cursor::float8 as cursor`,
    [id, accountId, from],
  );
  return rows[0]?.cursor ?? null;
}

/**
 * Queues a test message, unless one is queued.
 *
 * @returns The id of the queued test message; null if the account has no such webhook.
 */
export async function queueTest(pool: Database["api"], { accountId, id }: OwnWebhook): Promise<string | null> {
  return await withTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `update app.webhooks set next_at = case when state = 'enabled' then coalesce(next_at, now()) end
       where id = $1 and account_id = $2`,
      [id, accountId],
    );
    if (rowCount !== 1) return null;
    const { rows: queued } = await client.query<{ message_id: string }>(
      "select message_id from app.webhook_deliveries where webhook_id = $1 and state = 'queued' and type = 'test' limit 1",
      [id],
    );
    if (queued[0] !== undefined) return queued[0].message_id;
    const { rows } = await client.query<{ message_id: string }>(
      `with stored as (
         insert into app.webhook_deliveries (webhook_id, epoch, type, occurred_at, data)
         values ($1, 0, 'test', now(), jsonb_build_object('webhook_id', $1::uuid)) returning message_id
       ), counted as (update app.webhooks set queued = queued + 1 where id = $1)
       select message_id from stored`,
      [id],
    );
    return rows[0]!.message_id;
  });
}

/**
 * Stores a new secret; the current one stays valid for a day.
 *
 * @returns The end of the earlier secret; null if the account has no such webhook.
 */
export async function rotateSecret(db: Queryable, { accountId, id }: OwnWebhook, sealed: Buffer): Promise<Date | null> {
  const { rows } = await db.query<{ previous_until: Date }>(
    `update app.webhooks set previous_secret = secret, secret = $3, previous_until = now() + interval '${rotationInterval}'
     where id = $1 and account_id = $2 returning previous_until`,
    [id, accountId, sealed],
  );
  return rows[0]?.previous_until ?? null;
}
