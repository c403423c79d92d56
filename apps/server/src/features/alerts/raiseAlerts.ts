import type { AlertMetric } from "@slipway/protocol/alerts";
import { countMail, lockAddress, maxDailyAlerts, queueMail } from "../../accounts/queueMail.ts";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { judgeReading } from "./judgeReading.ts";
import { type ActiveRule, listAlertPairs, lockDueRules, storeJudgement } from "./raiseQueries.ts";

/** The metrics of a pair at the close of a bar. */
export type MetricReading = {
  pair: string;
  /** The bar's close in Unix seconds; later readings have later closes. */
  bar: number;
  /** Whether the data are fresh; a stale or unavailable reading fires and arms no rule. */
  isFresh: boolean;
  /** Unknown metrics are null or omitted. An array contains names that apply at the same time. */
  values: { readonly [metric in AlertMetric]?: number | string | readonly string[] | null };
};

/** Reads the newest metrics of pairs; omits pairs without metrics. */
export type ReadMetrics = (pairs: readonly string[]) => Promise<MetricReading[]>;

/** Maximum number of rules that one transaction judges. */
const batchSize = 100;

/**
 * Starts the job that judges each alert rule once per bar with fresh data. One transaction stores a rule's new state
 * and its mail, so that neither crashes nor concurrent processes lose or repeat a mail.
 *
 * @param readers - The readers of all metrics; each metric has one reader.
 */
export function raiseAlerts(
  deps: Pick<Deps, "config" | "db" | "clock" | "log" | "metrics">,
  readers: readonly ReadMetrics[],
): Job {
  const run = async (signal: AbortSignal) => {
    const pairs = await listAlertPairs(deps.db.api);
    if (pairs.length === 0) return false;
    const readings = await Promise.all(readers.map((readMetrics) => readMetrics(pairs)));
    for (const reading of readings.flat()) if (reading.isFresh) await judgePair(deps, reading, signal);
    return false;
  };
  return repeat(deps, { name: "alerts", pauseMs: deps.config.ALERT_POLL_MS, run });
}

async function judgePair(
  { db, metrics }: Pick<Deps, "db" | "metrics">,
  reading: MetricReading,
  signal: AbortSignal,
): Promise<void> {
  const { pair } = reading;
  const readable = Object.entries(reading.values).flatMap(([metric, value]) => (value == null ? [] : [metric]));
  for (;;) {
    signal.throwIfAborted();
    const { judged, fired } = await withTransaction(db.api, async (client) => {
      const rules = await lockDueRules(client, { pair, bar: reading.bar, metrics: readable, limit: batchSize });
      let fired = 0;
      // In the order of mailboxes, because judging a rule locks its mailbox.
      for (const rule of rules) if (await judgeRule(client, rule, reading)) fired++;
      return { judged: rules.length, fired };
    });
    metrics.alertsFired.inc(fired);
    if (judged < batchSize) return;
  }
}

/** Judges a rule and queues its mail. @returns Whether it fired. */
async function judgeRule(client: Client, rule: ActiveRule, reading: MetricReading): Promise<boolean> {
  const { pair } = reading;
  const value = reading.values[rule.metric]!;
  let { state, fires } = judgeReading(rule.state, rule, value, !rule.isRecent);
  if (fires && !(await queueAlert(client, pair, rule, value, reading.bar))) {
    ({ state, fires } = judgeReading(rule.state, rule, value, false));
  }
  await storeJudgement(client, { id: rule.id, bar: reading.bar, state, fires });
  return fires;
}

/** Queues the mail of a crossing, unless the address has reached its daily limit. @returns Whether a mail is queued. */
async function queueAlert(
  client: Client,
  pair: string,
  { id, accountId, addressId, address, metric, op, value }: ActiveRule,
  reading: number | string | readonly string[],
  bar: number,
): Promise<boolean> {
  await lockAddress(client, address);
  const { ofAddress } = await countMail(client, { kind: "alert", accountId, address });
  if (ofAddress >= maxDailyAlerts) return false;
  const content = { pair, rule: { metric, op, value }, reading: typeof reading === "number" ? reading : value, bar };
  const ids = { accountId, addressId, alertId: id, address };
  return await queueMail(client, { dedupeKey: `${id}:${bar}`, kind: "alert", ...ids, content });
}
