import type { Client } from "../../db/database.ts";
import { toFeesKey } from "../../live/outboxEvent.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import type { SettledFees } from "./matchKeys.ts";
import { type ChangedQueue, inScope, listFull, type MatchScope, requeue, schedule } from "./matchQueries.ts";

/** A webhook that gets settled fees, with the share of its recipient. */
type FeesMatch = { outbox_id: number; webhook_id: string; payee: string; share_bps: number; min_amount: string | null };

/** SQL: the recipients `p` of fees `f` and their webhooks `w`. $1: the scope; $2 to $4: the fees. */
const matches = (scope: MatchScope) => `unnest($2::bigint[], $3::text[], $4::text[]) f (outbox_id, splitter, asset)
     join chain.splitter_payees p on p.splitter = f.splitter
     join app.webhooks w on w.match_key in ('payee:' || p.payee, 'payee:' || p.payee || ':' || f.asset)
       and ${inScope(scope, "$1")}`;

const toRows = (fees: readonly SettledFees[]) => [
  fees.map(({ outboxId }) => outboxId),
  fees.map(({ splitter }) => splitter),
  fees.map(({ asset }) => asset),
];

/** Counts the webhooks of each fees, also those whose minimum is larger, for fees with at least one. */
export async function countFees(
  client: Client,
  fees: readonly SettledFees[],
  scope: MatchScope,
): Promise<Map<number, number>> {
  if (fees.length === 0) return new Map();
  const { rows } = await client.query<{ outbox_id: number; count: number }>(
    `select f.outbox_id::float8 as outbox_id, count(*)::int as count from ${matches(scope)} group by f.outbox_id`,
    [scope.webhookId, ...toRows(fees)],
  );
  return new Map(rows.map(({ outbox_id, count }) => [outbox_id, count]));
}

/**
 * Queues fees for the webhooks of the recipients of their splitter, if the recipient's part is at least the minimum of the
 * webhook.
 *
 * @returns The full queues.
 */
export async function queueFees(
  client: Client,
  fees: readonly SettledFees[],
  epoch: number,
  scope: MatchScope,
): Promise<string[]> {
  if (fees.length === 0) return [];
  const { rows: matched } = await client.query<FeesMatch>(
    `select f.outbox_id::float8 as outbox_id, w.id as webhook_id, p.payee, p.share_bps, w.min_amount::text as min_amount
     from ${matches(scope)}
     order by f.outbox_id, w.id`,
    [scope.webhookId, ...toRows(fees)],
  );
  const byId = new Map(fees.map((one) => [one.outboxId, one]));
  const messages = matched.flatMap(({ outbox_id, webhook_id, payee, share_bps, min_amount }) => {
    const one = byId.get(outbox_id)!;
    const amount = (BigInt(one.amount) * BigInt(share_bps)) / 10_000n;
    if (amount < BigInt(min_amount ?? 1)) return [];
    return [{ ...one, webhookId: webhook_id, data: toReceivedFees(one, payee, amount) }];
  });
  if (messages.length === 0) return [];
  const { rows } = await client.query<ChangedQueue>(
    `with stored as (
       insert into app.webhook_deliveries (webhook_id, epoch, outbox_id, type, ref, occurred_at, data)
       select m.webhook_id, $1, m.outbox_id, 'fees', m.ref, m.occurred_at, m.data
       from unnest($2::uuid[], $3::bigint[], $4::text[], $5::timestamptz[], $6::jsonb[])
         m (webhook_id, outbox_id, ref, occurred_at, data)
       order by m.outbox_id
       ${requeue}
     )
     ${schedule("select webhook_id, 1 as change from stored")}`,
    [
      epoch,
      messages.map(({ webhookId }) => webhookId),
      messages.map(({ outboxId }) => outboxId),
      messages.map(toFeesKey),
      messages.map(({ occurredAt }) => occurredAt),
      messages.map(({ data }) => data),
    ],
  );
  return listFull(rows);
}

/** The JSON text of the data of a message with a recipient's part of fees. */
const toReceivedFees = (
  { splitter, asset, token, block_number, tx_hash }: SettledFees,
  payee: string,
  amount: bigint,
) =>
  JSON.stringify({
    wallet: toChecksumAddress(payee),
    splitter: toChecksumAddress(splitter),
    asset: toChecksumAddress(asset),
    amount: amount.toString(),
    token: token === null ? null : toChecksumAddress(token),
    block_number,
    tx_hash,
  });
