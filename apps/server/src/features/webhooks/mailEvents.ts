import type { WebhookMessage } from "@slipway/protocol/webhooks";
import { countMail, lockAddress, maxDailyAlerts, queueMail } from "../../accounts/queueMail.ts";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { describeSubject } from "../../live/describeSubject.ts";
import { type DueAlert, delayAlert, endEvents, lockDueAlerts, readQueue } from "./alertQueries.ts";
import { describeMessage } from "./describeMessage.ts";

/** Maximum number of alerts that one transaction handles. */
const batchSize = 20;

/** Maximum number of events with a line in a mail. */
const maxLines = 20;

/** The time between two mails of an alert: later events wait, and share a mail. */
const pauseMs = 3_600_000;

/**
 * Starts the job that joins the queued events of an alert to one mail, at most one each hour. One transaction queues the mail
 * and ends the events, so that neither crashes nor concurrent processes lose or repeat one.
 */
export function mailEvents(deps: Pick<Deps, "config" | "db" | "clock" | "log" | "metrics">): Job {
  const run = async () => {
    const nowMs = deps.clock.now();
    const { handled, mailed } = await withTransaction(deps.db.api, async (client) => {
      const due = await lockDueAlerts(client, nowMs, batchSize);
      let mailed = 0;
      for (const alert of due) if (await mailQueue(client, alert, nowMs)) mailed++;
      return { handled: due.length, mailed };
    });
    deps.metrics.alertsFired.inc(mailed);
    return handled === batchSize;
  };
  return repeat(deps, { name: "alerts of events", pauseMs: deps.config.ALERT_POLL_MS, run });
}

/** Queues the mail of an alert's queue, unless it is empty or the address has reached its daily limit. @returns Whether it did. */
async function mailQueue(client: Client, alert: DueAlert, nowMs: number): Promise<boolean> {
  const { first, total, last } = await readQueue(client, alert.id, maxLines);
  if (last === null) {
    await delayAlert(client, alert.id, null);
    return false;
  }
  const { accountId, addressId, alertId, address } = alert;
  await lockAddress(client, address);
  const { ofAddress } = await countMail(client, { kind: "alert", accountId, address });
  if (ofAddress >= maxDailyAlerts) {
    await delayAlert(client, alert.id, nowMs + pauseMs);
    return false;
  }
  const lines = first.map((message) => describeMessage(message as WebhookMessage));
  const content = { events: describeSubject(alert.subject), lines, omitted: total - lines.length };
  const ids = { accountId, addressId, alertId, address };
  await queueMail(client, { dedupeKey: `${alertId}:${last}`, kind: "alert", ...ids, content });
  await endEvents(client, alert, last, nowMs + pauseMs);
  return true;
}
