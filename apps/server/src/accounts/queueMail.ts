import type { Queryable } from "../db/database.ts";

/** Maximum number of alerts to an address in 24 hours. */
export const maxDailyAlerts = 20;

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
 * Runs transactions that count the mails of a mailbox one after the other until their end, so that two transactions do
 * not both use the last mail of a limit.
 */
export async function lockAddress(client: Queryable, address: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('slipway mail ' || app.mailbox_key($1), 0))", [
    address,
  ]);
}

/**
 * Counts the mails of a kind in the last 24 hours: sent to the mailbox of the address in any spelling, and of the account
 * including mails held back.
 */
export async function countMail(
  client: Queryable,
  { kind, accountId, address }: Pick<NewMail, "kind" | "accountId" | "address">,
): Promise<{ ofAddress: number; ofAccount: number }> {
  const { rows } = await client.query<{ ofAddress: number; ofAccount: number }>(
    `select
       (select count(*)::int from app.mail where address_hash = app.hash_mailbox($3) and kind = $1
          and error is distinct from 'limit' and created_at > now() - interval '24 hours') as "ofAddress",
       (select count(*)::int from app.mail where account_id = $2 and kind = $1
          and created_at > now() - interval '24 hours') as "ofAccount"`,
    [kind, accountId, address],
  );
  return rows[0]!;
}

/**
 * Maximum confirmation mails in 24 hours to all mailboxes of a domain: a stranger must not use this service to fill the
 * mailboxes of a company, or to ruin the sender's reputation at a mail server. A limit for the users of a large provider
 * would let a stranger exclude all of them, so it only bounds the damage.
 */
const maxConfirmationsOfDomain = { default: 100, largeProvider: 10_000 };

/** The domains of large providers, in the form of `app.mailbox_domain`. */
const largeProvider =
  /^((gmail|aol|gmx|msn|mail|fastmail|zoho|qq|163|126|naver)\.com|icloud\.com|proton\.me|(gmx|web|t-online|freenet)\.de|gmx\.(net|at|ch)|(mail|yandex|bk|list|inbox)\.ru|(yahoo|hotmail|live|outlook)\.(com|[a-z]{2}|com?\.[a-z]{2}))$/;

/**
 * Whether the domain of an address has had its confirmation mails of 24 hours. Without a lock: concurrent transactions can
 * exceed the limit by one mail each.
 */
export async function isDomainExhausted(client: Queryable, address: string): Promise<boolean> {
  const { rows } = await client.query<{ domain: string; count: number }>(
    `select app.mailbox_domain($1) as domain,
       (select count(*)::int from app.mail where domain_hash = app.hash_domain($1) and kind = 'confirm'
          and error is distinct from 'limit' and created_at > now() - interval '24 hours') as count`,
    [address],
  );
  const { domain, count } = rows[0]!;
  const { default: usual, largeProvider: large } = maxConfirmationsOfDomain;
  return count >= (largeProvider.test(domain) ? large : usual);
}

/**
 * Queues a mail within the transaction of its cause. A mail that a limit or a suspended address holds back is recorded
 * without its content, because limits count it.
 *
 * @returns False when a mail for this cause was queued before.
 */
export async function queueMail(client: Queryable, mail: NewMail): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into app.mail (id, dedupe_key, kind, account_id, address_id, alert_id, address_hash, domain_hash, address, content,
       state, error)
     select gen_random_uuid(), $1, $2, $3, $4, $5, hash, app.hash_domain($6), case when held is null then $6 end,
       case when held is null then $7::jsonb else '{}' end, case when held is null then 'queued' else 'cancelled' end, held
     from (select app.hash_mailbox($6) as hash) a,
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
