import type { Queryable } from "../db/database.ts";

/** A mail to queue. */
export type NewMail = {
  /** Identifies the cause: a second mail for the same cause is not stored. */
  dedupeKey: string;
  kind: "confirm" | "alert";
  accountId: string;
  addressId: string;
  alertId: string;
  address: string;
  /** The data for the mail's text; never a secret. */
  content: Record<string, unknown>;
  /** Why the mail is recorded but not sent: a limit. */
  heldBack?: "limit" | undefined;
};

/** SQL for the hash that identifies a suspended address. */
export const hashWholeAddress = (address: string) => `sha256(convert_to(lower(${address}), 'UTF8'))`;

/** Condition on an address: its server has not permanently rejected a mail in the last 30 days. */
export const isNotSuspended = (address: string) =>
  `not exists (select from app.mail_suspensions s where s.address_hash = ${hashWholeAddress(address)} and s.suspended_at > now() - interval '30 days')`;

/**
 * Runs transactions that count the mails of an address one after the other until their end, so that two transactions do
 * not both use the last mail of a limit.
 */
export async function lockAddress(client: Queryable, address: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('slipway mail ' || app.address_key($1), 0))", [
    address,
  ]);
}

/**
 * Counts the mails of a kind in the last 24 hours: sent to the address, and of the account including mails held back.
 */
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
 * Queues a mail within the transaction of its cause. A mail that a limit or a suspended address holds back is recorded
 * without its content, because limits count it.
 *
 * @returns False when a mail for this cause was queued before.
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

/** Assignments that erase a mail that will not be sent any more; the columns that limits count stay. */
export const erase = "address = null, content = '{}'";
