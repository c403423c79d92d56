import type { Client, Queryable } from "../../db/database.ts";
import { type OutboxColumns, parseOutboxEvent } from "../../live/outboxEvent.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import type { MatchedMessage, PricedTrade, Retraction } from "./matchKeys.ts";

/** The common cursor of webhooks. `epoch` grows when the outbox begins anew. */
type MatchPosition = { position: number; epoch: number };

/** Which webhooks a pass matches: all that follow the common cursor, or one with its own cursor. */
export type MatchScope = { webhookId: string | null };

/**
 * SQL: whether the webhook `w` is in a scope.
 *
 * @param parameter - The parameter with the scope's id. Two texts, because an index has only webhooks without a cursor.
 */
export const inScope = ({ webhookId }: MatchScope, parameter: string) =>
  webhookId === null
    ? `w.state = 'enabled' and w.cursor is null and ${parameter}::uuid is null`
    : `w.state = 'enabled' and w.id = ${parameter}::uuid`;

/** Maximum number of queued messages of a webhook; one batch can exceed it. At half of it a full queue takes messages again. */
export const maxQueuedMessages = 1_000;

/** Maximum number of messages in one part of a retraction. */
const maxRetractedIds = 500;

/**
 * Locks the common cursor until the end of the transaction, so that one process matches at a time. A cursor beyond the
 * outbox means that the outbox began anew: all webhooks then follow the common cursor from its newest row.
 */
export async function lockMatchPosition(
  client: Client,
): Promise<MatchPosition & { newest: number; isNewOutbox: boolean }> {
  const { rows } = await client.query<MatchPosition>(
    "select position::float8 as position, epoch from app.webhook_cursor for update",
  );
  const { position, epoch } = rows[0]!;
  const newest = await getNewestId(client);
  if (position <= newest) return { position, epoch, newest, isNewOutbox: false };
  await client.query("update app.webhook_cursor set position = $1, epoch = epoch + 1", [newest]);
  await client.query(
    "update app.webhooks set cursor = case when state = 'enabled' then null else 0 end where cursor is not null",
  );
  return { position: newest, epoch: epoch + 1, newest, isNewOutbox: true };
}

async function getNewestId(client: Queryable): Promise<number> {
  const { rows } = await client.query<{ id: number }>("select coalesce(max(id), 0)::float8 as id from chain.outbox");
  return rows[0]!.id;
}

/** Stores the common cursor. */
export async function storePosition(client: Client, position: number): Promise<void> {
  await client.query("update app.webhook_cursor set position = $1", [position]);
}

/** Whether any webhook follows the common cursor. */
export async function hasFollowers(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    "select exists (select from app.webhooks where state = 'enabled' and cursor is null) as found",
  );
  return rows[0]!.found;
}

/**
 * SQL: whether a row `o` of the outbox can have a message for the webhook `w`, by the keys of `toMatchedMessage` and
 * `queueFees`. Every webhook gets the rows of other kinds and of later versions.
 */
const canMatch = `case
  when o.payload ? 'schema_version' then true
  when o.kind = 'launch' then w.match_key in (
    'launches', 'creator:' || (o.payload ->> 'creator'), 'partner:' || (o.payload ->> 'partner'))
  when o.kind = 'trade' then coalesce(w.min_amount <= (o.payload ->> 'quote_amount')::numeric, true) and w.match_key in (
    'trades', 'token:' || o.token, 'price:' || o.token,
    'account:' || coalesce(o.payload ->> 'account', o.payload ->> 'maker'))
  when o.kind = 'signal' then w.match_key in ('signals', 'pair:' || (o.payload ->> 'pair'))
  when o.kind = 'fees' then starts_with(w.match_key, 'payee:')
  when o.kind = 'risk' then w.match_key = 'risk:' || (o.payload ->> 'pair')
  else true end`;

/**
 * Reads the rows of the outbox within a range of ids that can have messages for a scope. A webhook with its own cursor
 * can be a day behind, after a replay that its owner can repeat at will: the database skips the rows that it does not
 * match, which costs a hundredth of parsing them.
 */
export async function listMatchableEvents(
  client: Queryable,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
  { webhookId }: MatchScope,
): Promise<{ id: number; event: ReturnType<typeof parseOutboxEvent>; occurredAt: Date }[]> {
  const own =
    webhookId === null ? "" : `and exists (select from app.webhooks w where w.id = $4 and ${canMatch} offset 0)`;
  const { rows } = await client.query<{ id: number; created_at: Date } & OutboxColumns>(
    `select o.id::float8 as id, o.kind, o.token, o.payload, o.created_at from chain.outbox o
     where o.id > $1 and o.id <= $2 and o.kind not in ('candle', 'state', 'eth_usd') ${own} order by o.id limit $3`,
    [after, upTo, limit, ...(webhookId === null ? [] : [webhookId])],
  );
  return rows.map((row) => ({ id: row.id, event: parseOutboxEvent(row), occurredAt: row.created_at }));
}

/** Returns the id of the oldest row of the outbox; null if it is empty. */
export async function getOldestId(client: Queryable): Promise<number | null> {
  const { rows } = await client.query<{ id: number | null }>("select min(id)::float8 as id from chain.outbox");
  return rows[0]!.id;
}

/** Returns the age in seconds of the first row of the outbox after an id; 0 without one. */
export async function getAgeSeconds(client: Queryable, after: number): Promise<number> {
  const { rows } = await client.query<{ age: number }>(
    `select extract(epoch from clock_timestamp() - created_at)::float8 as age from chain.outbox
     where id > $1 order by id limit 1`,
    [after],
  );
  return rows[0]?.age ?? 0;
}

/** The keys of messages as arrays for `unnest`. */
const toKeyRows = (messages: readonly MatchedMessage[]) => {
  const rows = messages.flatMap((message) => message.keys.map((key) => ({ message, key })));
  return [
    rows.map(({ message }) => message.outboxId),
    rows.map(({ key }) => key),
    rows.map(({ message }) => message.amount),
  ];
};

/** SQL: the webhooks that get a message, by the parameters $1 to $4: keys, and scope. */
const matches = (scope: MatchScope) => `unnest($1::bigint[], $2::text[], $3::numeric[]) k (outbox_id, match_key, amount)
  join app.webhooks w on w.match_key = k.match_key and (w.min_amount is null or w.min_amount <= k.amount)
    and ${inScope(scope, "$4")}`;

/** Counts the webhooks of each message, for messages with at least one. */
export async function countMatches(
  client: Queryable,
  messages: readonly MatchedMessage[],
  scope: MatchScope,
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ outbox_id: number; count: number }>(
    `select k.outbox_id::float8 as outbox_id, count(*)::int as count from ${matches(scope)} group by k.outbox_id`,
    [...toKeyRows(messages), scope.webhookId],
  );
  return new Map(rows.map(({ outbox_id, count }) => [outbox_id, count]));
}

/** SQL: a message that exists already is queued again, under its id and behind all others: a replay. */
export const requeue = `on conflict (webhook_id, epoch, outbox_id, part) do update set state = 'queued', data = excluded.data,
  position = excluded.position, retracted = false, created_at = excluded.created_at, finished_at = null, error = null
  where webhook_deliveries.state <> 'queued'
  returning webhook_id`;

/**
 * SQL: schedules the webhooks of a relation with `webhook_id` and `change`, the change of the number of queued messages.
 * It updates scheduled webhooks too: a process that is about to find the queue empty holds the lock of the row.
 */
export const schedule = (changes: string) => `update app.webhooks w set next_at = coalesce(w.next_at, now()),
    queued = greatest(w.queued + s.change, 0)
  from (select webhook_id, sum(change)::int as change from (${changes}) c group by webhook_id) s
  where w.id = s.webhook_id returning w.id, w.queued`;

/** Webhooks whose queue changed, with the number of their queued messages. */
export type ChangedQueue = { id: string; queued: number };

/** Returns the webhooks whose queue is full. */
export const listFull = (queues: readonly ChangedQueue[]) =>
  queues.filter(({ queued }) => queued >= maxQueuedMessages).map(({ id }) => id);

/** Queues messages for the webhooks whose subject they match, in the order of the outbox. @returns The full queues. */
export async function queueMatches(
  client: Client,
  messages: readonly MatchedMessage[],
  epoch: number,
  scope: MatchScope,
): Promise<string[]> {
  if (messages.length === 0) return [];
  const { rows } = await client.query<ChangedQueue>(
    `with stored as (
       insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, type, ref, occurred_at, data)
       select w.id, $5, m.outbox_id, m.type, m.ref, m.occurred_at, m.data
       from unnest($6::bigint[], $7::text[], $8::text[], $9::timestamptz[], $10::jsonb[]) m (outbox_id, type, ref, occurred_at, data)
       join (select k.outbox_id, w.id from ${matches(scope)}) w on w.outbox_id = m.outbox_id
       order by m.outbox_id
       ${requeue}
     )
     ${schedule("select webhook_id, 1 as change from stored")}`,
    [
      ...toKeyRows(messages),
      scope.webhookId,
      epoch,
      messages.map(({ outboxId }) => outboxId),
      messages.map(({ type }) => type),
      messages.map(({ ref }) => ref),
      messages.map(({ occurredAt }) => occurredAt),
      messages.map(({ data }) => data),
    ],
  );
  return listFull(rows);
}

/** The columns of trades as arrays for `unnest`. */
const toTradeRows = (trades: readonly PricedTrade[]) => [
  trades.map(({ outboxId }) => outboxId),
  trades.map(({ token }) => token),
  trades.map(({ token }) => toChecksumAddress(token)),
  trades.map(({ blockNumber }) => blockNumber),
  trades.map(({ logIndex }) => logIndex),
  trades.map(({ price }) => price),
  trades.map(({ ref }) => ref),
  trades.map(({ occurredAt }) => occurredAt),
];

/**
 * SQL: `crossed`, the webhooks `w` whose price a trade `p` crosses. $1: the scope; $2 to $9: the trades. The price before
 * a trade is that of the trade before it in the index, or of the launch: a replay finds the same crossings.
 */
const crossed = (scope: MatchScope) => `priced as (
       select t.*, coalesce(
         (select b.pool_price from chain.trades b
          where b.token_id = k.id and (b.block_number, b.log_index) < (t.block_number, t.log_index)
          order by b.block_number desc, b.log_index desc limit 1),
         k.start_price) as before
       from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::float8[], $8::text[], $9::timestamptz[])
         t (outbox_id, token, shown_token, block_number, log_index, price, ref, occurred_at)
       join chain.tokens k on k.address = t.token
       where exists (select from app.webhooks w where w.match_key = 'price:' || t.token and ${inScope(scope, "$1")})
     ), crossed as (
       select w.id, w.price_op, p.* from priced p
       join app.webhooks w on w.match_key = 'price:' || p.token and ${inScope(scope, "$1")}
         and case w.price_op when 'above' then p.before <= w.price and w.price < p.price
           else p.before >= w.price and w.price > p.price end
     )`;

/** Counts the webhooks whose price each trade crosses, for trades with at least one. */
export async function countCrossings(
  client: Queryable,
  trades: readonly PricedTrade[],
  scope: MatchScope,
): Promise<Map<number, number>> {
  if (trades.length === 0) return new Map();
  const { rows } = await client.query<{ outbox_id: number; count: number }>(
    `with ${crossed(scope)}
     select outbox_id::float8 as outbox_id, count(*)::int as count from crossed group by outbox_id`,
    [scope.webhookId, ...toTradeRows(trades)],
  );
  return new Map(rows.map(({ outbox_id, count }) => [outbox_id, count]));
}

/** Queues a message for each webhook whose price a trade crosses. @returns The full queues. */
export async function queueCrossings(
  client: Client,
  trades: readonly PricedTrade[],
  epoch: number,
  scope: MatchScope,
): Promise<string[]> {
  if (trades.length === 0) return [];
  const { rows } = await client.query<ChangedQueue>(
    `with ${crossed(scope)}, stored as (
       insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, type, ref, occurred_at, data)
       select id, $10, outbox_id, 'price', ref, occurred_at, jsonb_build_object('token', shown_token, 'op', price_op,
         'price_eth', price, 'previous_price_eth', before, 'trade_id', ref, 'block_number', block_number)
       from crossed order by outbox_id
       ${requeue}
     )
     ${schedule("select webhook_id, 1 as change from stored")}`,
    [scope.webhookId, ...toTradeRows(trades), epoch],
  );
  return listFull(rows);
}

/**
 * Queues a snapshot for every webhook of a scope, whatever its subject.
 *
 * @param snapshot.part - -1 for rows before `outboxId` that were missed, so that the row itself can have a message too.
 */
export async function queueSnapshot(
  client: Client,
  { outboxId, part, data }: { outboxId: number; part: 0 | -1; data: string },
  epoch: number,
  scope: MatchScope,
): Promise<void> {
  await client.query(
    `with stored as (
       insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, part, type, occurred_at, data)
       select w.id, $2, $3, $4, 'snapshot', now(), $5::jsonb from app.webhooks w where ${inScope(scope, "$1")}
       ${requeue}
     )
     ${schedule("select webhook_id, 1 as change from stored")}`,
    [scope.webhookId, epoch, outboxId, part, data],
  );
}

/**
 * Cancels the queued messages that a reorganisation retracts, and queues a message with the ids of those that an attempt
 * may have delivered.
 */
export async function retractMessages(
  client: Client,
  { outboxId, aboveBlock, refs, occurredAt }: Retraction,
  epoch: number,
  scope: MatchScope,
): Promise<void> {
  if (refs.length === 0) return;
  await client.query(
    `with gone as (
       update app.webhook_deliveries d set retracted = true,
         state = case when d.state = 'queued' then 'cancelled' else d.state end,
         data = null, finished_at = coalesce(d.finished_at, now())
       from app.webhooks w
       where d.ref = any($2) and not d.retracted and d.epoch = $3 and d.outbox_id < $4
         and w.id = d.webhook_id and ${inScope(scope, "$1")}
       returning d.webhook_id, d.message_id, d.attempts, d.position, d.state
     ), listed as (
       select webhook_id, message_id, (row_number() over (partition by webhook_id order by position) - 1) / $7 as part
       from gone where attempts > 0
     ), stored as (
       insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, part, type, occurred_at, data)
       select webhook_id, $3, $4, part + 1, 'retracted', $5,
         jsonb_build_object('above_block', $6::bigint, 'messages', jsonb_agg('msg_' || message_id order by message_id))
       from listed group by webhook_id, part order by webhook_id, part
       ${requeue}
     )
     ${schedule(`select webhook_id, 1 as change from stored
       union all select webhook_id, -1 from gone where state = 'cancelled'`)}`,
    [scope.webhookId, refs, epoch, outboxId, occurredAt, aboveBlock, maxRetractedIds],
  );
}

/** Takes webhooks with a full queue off the common cursor; each continues from here with its own cursor. */
export async function detachFullQueues(client: Client, ids: readonly string[], position: number): Promise<void> {
  if (ids.length === 0) return;
  await client.query("update app.webhooks set cursor = $2, is_full = true where id = any($1) and cursor is null", [
    ids,
    position,
  ]);
}

/** Locks the webhooks with an own cursor and room in their queue that were matched the longest time ago. */
export async function lockBehind(
  client: Client,
  { upTo, limit }: { upTo: number; limit: number },
): Promise<{ id: string; cursor: number }[]> {
  const { rows } = await client.query<{ id: string; cursor: number }>(
    `select id, cursor::float8 as cursor from app.webhooks
     where state = 'enabled' and cursor is not null and not is_full and cursor <= $1
     order by matched_at limit $2 for update`,
    [upTo, limit],
  );
  return rows;
}

/** Stores how far a webhook was matched by its own cursor; null: it follows the common cursor from now on. */
export async function storeOwnCursor(client: Client, id: string, cursor: number | null): Promise<void> {
  await client.query(
    `update app.webhooks set cursor = $2, matched_at = clock_timestamp(),
       is_full = $2::bigint is not null and queued >= $3 where id = $1`,
    [id, cursor, maxQueuedMessages],
  );
}
