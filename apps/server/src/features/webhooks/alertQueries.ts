import type { AlertSubject } from "@slipway/protocol/webhooks";
import { isSubscriber } from "../../accounts/plans.ts";
import { isNotSuspended } from "../../accounts/queueMail.ts";
import type { Client } from "../../db/database.ts";

/** An alert of events with a due queue. */
export type DueAlert = {
  /** The row of the webhooks' matching. */
  id: string;
  alertId: string;
  accountId: string;
  addressId: string;
  address: string;
  subject: AlertSubject;
};

const toTime = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

/**
 * Locks due alerts whose address is confirmed and not suspended, and whose account has the plan, until the end of the
 * transaction; in the order of mailboxes, because queueing a mail locks its mailbox. Skips alerts that another worker has locked.
 */
export async function lockDueAlerts(client: Client, nowMs: number, limit: number): Promise<DueAlert[]> {
  const { rows } = await client.query<DueAlert>(
    `select w.id, s.id as "alertId", s.account_id as "accountId", s.address_id as "addressId", a.address, w.subject
     from app.webhooks w join app.subject_alerts s on s.id = w.alert_id join app.alert_addresses a on a.id = s.address_id
     where w.alert_id is not null and w.state = 'enabled' and w.next_at <= ${toTime("$1")}
       and a.confirmed_at is not null and ${isNotSuspended("a.address")} and ${isSubscriber("s.account_id")}
     order by app.mailbox_key(a.address), w.id limit $2 for update of w skip locked`,
    [nowMs, limit],
  );
  return rows;
}

/** The queued events of an alert: the first ones, the number of all, and the position of the last one. */
export type QueuedEvents = { first: { type: string; data: unknown }[]; total: number; last: string | null };

/** Reads the queue of a locked alert. */
export async function readQueue(client: Client, id: string, maxLines: number): Promise<QueuedEvents> {
  const { rows } = await client.query<QueuedEvents>(
    `select count(*)::int as total, max(position)::text as last, coalesce((
       select json_agg(json_build_object('type', f.type, 'data', f.data) order by f.position) from (
         select type, data, position from app.webhook_deliveries
         where webhook_id = $1 and state = 'queued' order by position limit $2) f), '[]') as first
     from app.webhook_deliveries where webhook_id = $1 and state = 'queued'`,
    [id, maxLines],
  );
  return rows[0]!;
}

/** Ends the queue of a locked alert up to a position, as delivered; the next mail is due at a time. */
export async function endEvents(
  client: Client,
  { id, alertId }: DueAlert,
  last: string,
  nextMs: number,
): Promise<void> {
  await client.query(
    `update app.webhook_deliveries set state = 'delivered', attempts = 1, data = null, finished_at = now()
     where webhook_id = $1 and state = 'queued' and position <= $2`,
    [id, last],
  );
  await client.query("update app.subject_alerts set fired_at = now() where id = $1", [alertId]);
  await delayAlert(client, id, nextMs);
}

/** Sets when the queue of a locked alert is looked at again; null: at its next event. */
export async function delayAlert(client: Client, id: string, nextMs: number | null): Promise<void> {
  await client.query(`update app.webhooks set next_at = ${toTime("$2")}, queued = 0, is_full = false where id = $1`, [
    id,
    nextMs,
  ]);
}
