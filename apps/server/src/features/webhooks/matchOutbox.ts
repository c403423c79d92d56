import type { Client, Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { countFees, queueFees } from "./feesQueries.ts";
import { toMatchedMessage, toPricedTrade, toRetraction, toSettledFees } from "./matchKeys.ts";
import {
  countCrossings,
  countMatches,
  detachFullQueues,
  getAgeSeconds,
  getOldestId,
  hasFollowers,
  listMatchableEvents,
  lockBehind,
  lockMatchPosition,
  type MatchScope,
  queueCrossings,
  queueMatches,
  queueSnapshot,
  retractMessages,
  storeOwnCursor,
  storePosition,
} from "./matchQueries.ts";

/** Maximum number of outbox rows that one transaction reads, and of ids that it passes. */
const batchRows = 200;
const batchIds = 5_000;

/** Maximum number of messages that one transaction queues; a single row can have more. */
const batchMessages = 5_000;

/** Number of webhooks with an own cursor that one transaction advances. */
const batchWebhooks = 5;

/** The range of a pass: rows after `after`, up to `upTo`. */
type Range = { after: number; upTo: number; epoch: number };

/** Up to which row a pass matched, and the webhooks whose queue is full since. */
type Matched = { reached: number; full: readonly string[] };

/**
 * Queues the messages of new outbox rows. One transaction contains the messages and the advance of the cursor, so that
 * no crash loses or repeats a message.
 *
 * @returns Whether more rows wait, and the age in seconds of the oldest row that was not matched; 0 without one.
 */
export async function matchOutbox(pool: Database["api"]): Promise<{ hasMore: boolean; lagSeconds: number }> {
  return await withTransaction(pool, async (client) => {
    const { position, epoch, newest, isNewOutbox } = await lockMatchPosition(client);
    const all: MatchScope = { webhookId: null };
    if (isNewOutbox) {
      await queueSnapshot(client, { outboxId: newest, part: -1, data: snapshotData("rebuilt") }, epoch, all);
      return { hasMore: false, lagSeconds: 0 };
    }
    const isFollowed = await hasFollowers(client);
    const { reached, full } = isFollowed
      ? await matchRange(client, { after: position, upTo: newest, epoch }, all)
      : { reached: newest, full: [] };
    if (reached !== position) await storePosition(client, reached);
    await detachFullQueues(client, full, reached);
    let hasMore = reached < newest;
    for (const { id, cursor } of await lockBehind(client, { upTo: reached, limit: batchWebhooks })) {
      const own = await matchRange(client, { after: cursor, upTo: reached, epoch }, { webhookId: id });
      await storeOwnCursor(client, id, own.reached === reached ? null : own.reached);
      hasMore ||= own.reached < reached;
    }
    return { hasMore, lagSeconds: reached < newest ? await getAgeSeconds(client, reached) : 0 };
  });
}

/** Queues the messages of a range for the webhooks of a scope. */
async function matchRange(client: Client, { after, upTo, epoch }: Range, scope: MatchScope): Promise<Matched> {
  if (after >= upTo) return { reached: after, full: [] };
  const oldest = (await getOldestId(client)) ?? upTo;
  // Neither the row of the cursor nor the next one exists: rows may have been deleted.
  if (after > 0 && oldest > after + 1) {
    await queueSnapshot(client, { outboxId: oldest, part: -1, data: snapshotData("slow_reader") }, epoch, scope);
  }
  const start = Math.max(after, oldest - 1);
  const end = Math.min(upTo, start + batchIds);
  const events = await listMatchableEvents(client, { after: start, upTo: end, limit: batchRows }, scope);
  // A retraction ends the batch, because it cancels messages of the rows before it.
  const retractedAt = events.findIndex(({ event }) => event.kind === "retracted");
  const batch = retractedAt === -1 ? events : events.slice(0, retractedAt + 1);
  const messages = batch.flatMap(({ id, event, occurredAt }) => toMatchedMessage(id, event, occurredAt) ?? []);
  const trades = batch.flatMap(({ id, event, occurredAt }) => toPricedTrade(id, event, occurredAt) ?? []);
  const fees = batch.flatMap(({ id, event, occurredAt }) => toSettledFees(id, event, occurredAt) ?? []);
  const ids = batch.map(({ id }) => id);
  const lastId = findLastId(ids, [
    await countMatches(client, messages, scope),
    await countCrossings(client, trades, scope),
    await countFees(client, fees, scope),
  ]);
  const isKept = ({ outboxId }: { outboxId: number }) => outboxId <= lastId;
  const kept = messages.filter(isKept);
  const full = [
    ...(await queueMatches(client, kept, epoch, scope)),
    ...(await queueCrossings(client, trades.filter(isKept), epoch, scope)),
    ...(await queueFees(client, fees.filter(isKept), epoch, scope)),
  ];
  const snapshot = kept.findLast(({ keys }) => keys.length === 0);
  if (snapshot !== undefined) await queueSnapshot(client, { ...snapshot, part: 0 }, epoch, scope);
  const last = batch.at(-1);
  if (last !== undefined && lastId < last.id) return { reached: lastId, full };
  const retraction = last && toRetraction(last.id, last.event, last.occurredAt);
  if (retraction) await retractMessages(client, retraction, epoch, scope);
  const isWhole = batch.length === events.length && events.length < batchRows;
  return { reached: isWhole ? end : last!.id, full };
}

/**
 * Returns the last of the first rows whose messages together are at most `batchMessages`; at least the first row.
 *
 * @param counts - Numbers of messages by row.
 */
function findLastId(ids: readonly number[], counts: readonly ReadonlyMap<number, number>[]): number {
  let total = 0;
  for (const [index, id] of ids.entries()) {
    for (const count of counts) total += count.get(id) ?? 0;
    if (total > batchMessages && index > 0) return ids[index - 1]!;
  }
  return ids.at(-1) ?? 0;
}

const snapshotData = (reason: "rebuilt" | "slow_reader"): string => JSON.stringify({ reason });
