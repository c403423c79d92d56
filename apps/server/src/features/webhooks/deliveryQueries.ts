import type { DeliveryError } from "@slipway/protocol/webhooks";
import { recordAccountEvent } from "../../accounts/accountEvents.ts";
import { isSubscriber } from "../../accounts/plans.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { maxQueuedMessages } from "./matchQueries.ts";

/** A webhook whose messages a process may send until its lease ends. */
export type WebhookClaim = {
  id: string;
  accountId: string;
  url: string;
  host: string;
  secret: Buffer;
  /** Null when no earlier secret is valid. */
  previousSecret: Buffer | null;
  claim: number;
  /** Whether its endpoint is slow, or has not answered in time yet. */
  isSlow: boolean;
};

/** A message to send. */
export type QueuedMessage = {
  messageId: string;
  type: string;
  outboxId: number | null;
  occurredAt: Date;
  data: unknown;
  /** 1 for the first attempt. */
  attempt: number;
};

/** The age at which attempts to deliver a message stop, and the age at which its row is deleted. */
const lifetime = "24 hours";
const retention = "48 hours";

/** How long a webhook may fail until the service disables it. */
const maxFailing = "3 days";

const toTime = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

/** Which webhooks a process claims. */
export type ClaimOptions = {
  nowMs: number;
  leaseMs: number;
  limit: number;
  /** Claims only webhooks whose last attempt was slow, or only others. */
  isSlow: boolean;
  /** Webhooks that the process is serving. */
  busyIds: readonly string[];
  /** Hosts and accounts that have their maximum of deliveries. */
  busyHosts: readonly string[];
  busyAccounts: readonly string[];
};

/** Claims webhooks with due messages, the longest due first. A claim without a stored result ends with its lease. */
export async function claimWebhooks(db: Queryable, options: ClaimOptions): Promise<WebhookClaim[]> {
  const { nowMs, leaseMs, limit, isSlow, busyIds, busyHosts, busyAccounts } = options;
  const { rows } = await db.query<WebhookClaim>(
    `update app.webhooks set claim = claim + 1, next_at = ${toTime("$1")} + $2 * interval '1 millisecond' where id in (
       select id from app.webhooks
       where state = 'enabled' and alert_id is null and next_at <= ${toTime("$1")} and is_slow = $4
         and host <> all($5) and account_id <> all($6) and id <> all($7)
       order by next_at limit $3 for update skip locked)
     returning id, account_id as "accountId", url, host, secret, claim::float8 as claim, is_slow as "isSlow",
       case when previous_until > ${toTime("$1")} then previous_secret end as "previousSecret"`,
    [nowMs, leaseMs, limit, isSlow, busyHosts, busyAccounts, busyIds],
  );
  return rows;
}

/** Ends a claim; the next message is due now. */
export async function releaseWebhook(db: Queryable, { id, claim }: WebhookClaim, nowMs: number): Promise<void> {
  await db.query(
    `update app.webhooks set next_at = ${toTime("$3")} where id = $1 and claim = $2 and next_at is not null`,
    [id, claim, nowMs],
  );
}

/**
 * Begins an attempt of the oldest queued message of a claimed webhook.
 *
 * @returns Null if nothing is queued, or the claim, the webhook or its state has ended.
 */
export async function takeMessage(
  db: Queryable,
  { id, claim }: WebhookClaim,
  nowMs: number,
): Promise<QueuedMessage | null> {
  const { rows } = await db.query<QueuedMessage>(
    `update app.webhook_deliveries d set attempts = d.attempts + 1
     from app.webhooks w
     where w.id = $1 and w.claim = $2 and w.state = 'enabled' and d.state = 'queued' and d.message_id = (
       select message_id from app.webhook_deliveries q where q.webhook_id = $1 and q.state = 'queued'
         and q.created_at > ${toTime("$3")} - interval '${lifetime}' order by q.position limit 1)
     returning d.message_id as "messageId", d.type, d.outbox_id::float8 as "outboxId", d.occurred_at as "occurredAt",
       d.data, d.attempts as attempt`,
    [id, claim, nowMs],
  );
  return rows[0] ?? null;
}

/**
 * Ends the claim of a webhook without messages, until the next message.
 *
 * @returns False if a message was queued meanwhile.
 */
export async function endQueue(pool: Database["api"], { id, claim }: WebhookClaim, nowMs: number): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    // Writers of messages lock this row after the message: either this transaction sees the message, or they see its end.
    const { rowCount } = await client.query("select from app.webhooks where id = $1 and claim = $2 for update", [
      id,
      claim,
    ]);
    if (rowCount !== 1) return true;
    const { rowCount: ended } = await client.query(
      `update app.webhooks set next_at = null, queued = 0, is_full = false where id = $1 and (state <> 'enabled' or not exists (
         select from app.webhook_deliveries where webhook_id = $1 and state = 'queued'
           and created_at > ${toTime("$2")} - interval '${lifetime}'))`,
      [id, nowMs],
    );
    return ended === 1;
  });
}

/** The result of an attempt that the endpoint accepted. */
type Accepted = { messageId: string; status: number; isSlow: boolean };

/** Stores that a message was delivered, and erases its contents. */
export async function storeDelivered(
  db: Queryable,
  { id, claim }: WebhookClaim,
  { messageId, status, isSlow }: Accepted,
): Promise<void> {
  await db.query(
    `with delivered as (
       update app.webhook_deliveries set state = 'delivered', response_status = $4, error = null, data = null,
         finished_at = now() where message_id = $3 and state = 'queued' returning webhook_id
     )
     update app.webhooks set failures = 0, failing_since = null, error = null, is_slow = $5,
       queued = greatest(queued - (select count(*)::int from delivered), 0), is_full = is_full and queued > $6
     where id = $1 and claim = $2`,
    [id, claim, messageId, status, isSlow, maxQueuedMessages / 2],
  );
}

/** The result of a failed attempt. */
export type Failure = {
  messageId: string;
  error: DeliveryError;
  status: number | null;
  isSlow: boolean;
  /** The endpoint does not exist any more. */
  isGone: boolean;
};

/**
 * Stores a failed attempt and ends the claim. Disables a webhook that is gone, or that has failed for three days, and
 * records the event for its owner.
 *
 * @param getDelayMs - The delay of the next attempt by the number of failures since the last success.
 * @returns Whether the webhook was disabled.
 */
export async function storeFailure(
  pool: Database["api"],
  { id, claim }: WebhookClaim,
  { messageId, error, status, isSlow, isGone }: Failure,
  { nowMs, getDelayMs }: { nowMs: number; getDelayMs: (failures: number) => number },
): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    await client.query(
      "update app.webhook_deliveries set error = $2, response_status = $3 where message_id = $1 and state = 'queued'",
      [messageId, error, status],
    );
    const { rows } = await client.query<{ failures: number; has_ended: boolean; account_id: string }>(
      `update app.webhooks set failures = failures + 1, failing_since = coalesce(failing_since, ${toTime("$3")}),
         error = $4, is_slow = $5 where id = $1 and claim = $2
       returning failures, account_id, failing_since <= ${toTime("$3")} - interval '${maxFailing}' as has_ended`,
      [id, claim, nowMs, error, isSlow],
    );
    const row = rows[0];
    if (row === undefined) return false;
    if (isGone || row.has_ended) {
      const reason = isGone ? "gone" : "failing";
      if (!(await disableWebhook(client, id, reason))) return false;
      await recordAccountEvent(client, row.account_id, "webhook_disabled", { webhook_id: id, reason });
      return true;
    }
    const nextMs = nowMs + getDelayMs(row.failures);
    await client.query(`update app.webhooks set next_at = ${toTime("$2")} where id = $1`, [id, nextMs]);
    return false;
  });
}

/** Disables a webhook; it continues at the same message when its owner enables it. @returns Whether it was enabled. */
async function disableWebhook(client: Client, id: string, reason: "failing" | "gone" | "plan"): Promise<boolean> {
  const { rowCount } = await client.query(
    `update app.webhooks set state = 'disabled', disabled_reason = $2, next_at = null,
       cursor = coalesce(cursor, (select position from app.webhook_cursor))
     where id = $1 and state = 'enabled'`,
    [id, reason],
  );
  return rowCount === 1;
}

/** Fails queued messages that are older than a day. @returns Their number. */
export async function expireMessages(db: Queryable, nowMs: number, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with expired as (
       update app.webhook_deliveries set state = 'failed', error = 'expired', data = null, finished_at = now()
       where message_id in (
         select message_id from app.webhook_deliveries
         where state = 'queued' and created_at <= ${toTime("$1")} - interval '${lifetime}'
         order by created_at limit $2 for update skip locked)
       returning webhook_id
     ), changed as (
       update app.webhooks w set queued = greatest(w.queued - e.count, 0)
       from (select webhook_id, count(*)::int as count from expired group by webhook_id) e where w.id = e.webhook_id
     )
     select count(*)::int as count from expired`,
    [nowMs, limit],
  );
  return rows[0]!.count;
}

/** Deletes messages whose attempts ended long ago, and those of deleted webhooks. @returns Their number. */
export async function deleteOldMessages(db: Queryable, nowMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from app.webhook_deliveries where message_id in (
       select message_id from app.webhook_deliveries where created_at <= ${toTime("$1")} - interval '${retention}'
       order by created_at limit $2 for update skip locked)`,
    [nowMs, limit],
  );
  return rowCount ?? 0;
}

/** Disables the newest webhooks of accounts that have more than their plan allows. @returns Their number. */
export async function enforcePlans(
  pool: Database["api"],
  { free, limit }: { free: number; limit: number },
): Promise<number> {
  return await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select id from (
         select w.id, w.match_key, row_number() over (partition by w.account_id order by w.created_at, w.id) as number
         from app.webhooks w where w.state = 'enabled' and w.alert_id is null and not ${isSubscriber("w.account_id")}
       ) x where number > $1 or starts_with(match_key, 'risk:') limit $2`,
      [free, limit],
    );
    for (const { id } of rows) await disableWebhook(client, id, "plan");
    return rows.length;
  });
}

/** Lists the pairs whose risk enabled webhooks get. */
export async function listRiskPairs(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ pair: string }>(
    `select distinct subject->>'pair' as pair from app.webhooks
     where state = 'enabled' and starts_with(match_key, 'risk:') order by 1`,
  );
  return rows.map(({ pair }) => pair);
}
