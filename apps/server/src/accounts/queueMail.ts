import type { Queryable } from "../db/database.ts";

/** A mail to queue. */
export type NewMail = {
  /** Of its cause: a second mail of the same one is not stored. */
  dedupeKey: string;
  kind: "confirm" | "alert";
  accountId: string;
  addressId: string;
  alertId: string;
  address: string;
  /** What its text is made from; never a secret. */
  content: Record<string, unknown>;
  /** Why it is recorded and not sent: a limit. */
  heldBack?: "limit" | undefined;
};

/** SQL of what identifies an address that is suspended. */
export const hashWholeAddress = (address: string) => `sha256(convert_to(lower(${address}), 'UTF8'))`;

/** Condition on an address: its server has not refused it for good in the last month. */
export const isNotSuspended = (address: string) =>
  `not exists (select from app.mail_suspensions s where s.address_hash = ${hashWholeAddress(address)} and s.suspended_at > now() - interval '30 days')`;

/**
 * Lets transactions that count the mails of an address follow one another until their end, so that two do not both find
 * the last one left.
 */
export async function lockAddress(client: Queryable, address: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('slipway mail ' || app.address_key($1), 0))", [
    address,
  ]);
}

/** Counts the mails of a kind that an address and an account got in the last 24 hours, and those that were held back of the account. */
export async function countMail(
  client: Queryable,
  { kind, accountId, address }: Pick<NewMail, "kind" | "accountId" | "address">,
): Promise<{ ofAddress: number; ofAccount: number }> {
  const { rows } = await client.query<{ ofAddress: number; ofAccount: number }>(
    `select
       (select count(*)::int from app.mail where address_hash = app.hash_address($3) and kind = $1
          and error is distinct from 'limit' and created_at > now() - interval '24 hours') as "ofAddress",
       (select count(*)::int from app.mail where account_id = $2 and kind = $1
          and created_at > now() - interval '24 hours') as "ofAccount"`,
    [kind, accountId, address],
  );
  return rows[0]!;
}

/**
 * Queues a mail within the transaction of its cause. One that a limit or a suspended address holds back is recorded
 * without its content, so that it counts.
 *
 * @returns False when a mail of this cause was queued before.
 */
export async function queueMail(client: Queryable, mail: NewMail): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into app.mail (id, dedupe_key, kind, account_id, address_id, alert_id, address_hash, address, content, state, error)
     select gen_random_uuid(), $1, $2, $3, $4, $5, hash, case when held is null then $6 end,
       case when held is null then $7::jsonb else '{}' end, case when held is null then 'queued' else 'cancelled' end, held
     from (select app.hash_address($6) as hash) a,
       lateral (select coalesce($8::text, case when ${isNotSuspended("$6::text")} then null else 'suspended' end) as held) h
     on conflict (dedupe_key) do nothing`,
    [
      ...[mail.dedupeKey, mail.kind, mail.accountId, mail.addressId, mail.alertId, mail.address, mail.content],
      mail.heldBack ?? null,
    ],
  );
  return rowCount === 1;
}

/** What a mail keeps when it is not to be sent any more: what limits count. */
export const erase = "address = null, content = '{}'";
