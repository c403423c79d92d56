import { erase, hashWholeAddress } from "../../../accounts/queueMail.ts";
import type { Database, Queryable } from "../../../db/database.ts";
import { withTransaction } from "../../../db/withTransaction.ts";

/** A mail that a process has claimed to send. */
export type MailClaim = {
  id: string;
  kind: "confirm" | "alert" | "security";
  /** The alert address of the mail; null for a security mail. */
  addressId: string | null;
  address: string;
  content: unknown;
  createdAt: Date;
  /** 1 for the first attempt. */
  attempt: number;
};

/** Age at which attempts to send a mail stop. */
const lifetime = "24 hours";

const toTime = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

/** Claims due mails, the longest due first. A claim without a stored result expires after `leaseMs`. */
export async function claimMail(
  db: Queryable,
  { nowMs, limit, leaseMs }: { nowMs: number; limit: number; leaseMs: number },
): Promise<MailClaim[]> {
  const { rows } = await db.query<MailClaim>(
    `update app.mail set attempts = attempts + 1, next_at = ${toTime("$1")} + $3 * interval '1 millisecond'
     where id in (
       select id from app.mail where state = 'queued' and next_at <= ${toTime("$1")}
         and created_at > ${toTime("$1")} - interval '${lifetime}'
       order by next_at limit $2 for update skip locked
     )
     returning id, kind, address_id as "addressId", address, content, created_at as "createdAt", attempts as attempt`,
    [nowMs, limit, leaseMs],
  );
  return rows;
}

/** Whether a claimed mail must still be sent: a deleted alert, address or account cancels its mails. */
export async function isStillClaimed(db: Queryable, { id, attempt }: MailClaim): Promise<boolean> {
  const { rowCount } = await db.query("select from app.mail where id = $1 and attempts = $2 and state = 'queued'", [
    id,
    attempt,
  ]);
  return rowCount === 1;
}

/** Releases a claim without counting its attempt. */
export async function releaseMail(db: Queryable, { id, attempt }: MailClaim, nowMs: number): Promise<void> {
  await db.query(
    `update app.mail set attempts = attempts - 1, next_at = ${toTime("$3")} where id = $1 and attempts = $2 and state = 'queued'`,
    [id, attempt, nowMs],
  );
}

/** Stores the outcome of a mail and erases personal data; does nothing if another process claimed the mail since. */
export async function finishMail(
  db: Queryable,
  { id, attempt }: MailClaim,
  state: "sent" | "failed",
  error: string | null = null,
): Promise<void> {
  await db.query(
    `update app.mail set state = $3, error = $4, ${erase} where id = $1 and attempts = $2 and state = 'queued'`,
    [id, attempt, state, error],
  );
}

/** Stores the error of an attempt and the time of the next one. */
export async function delayMail(
  db: Queryable,
  { id, attempt }: MailClaim,
  { error, nextAtMs }: { error: string; nextAtMs: number },
): Promise<void> {
  await db.query(
    `update app.mail set error = $3, next_at = ${toTime("$4")} where id = $1 and attempts = $2 and state = 'queued'`,
    [id, attempt, error, nextAtMs],
  );
}

/** Suspends an address that its server refused permanently, fails this mail and cancels the address's other mails. */
export async function suspendAddress(pool: Database["api"], claim: MailClaim, error: string): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query(
      `insert into app.mail_suspensions (address_hash) values (${hashWholeAddress("$1::text")})
       on conflict (address_hash) do update set suspended_at = now()`,
      [claim.address],
    );
    await finishMail(client, claim, "failed", error);
    await client.query(
      `update app.mail set state = 'cancelled', error = 'suspended', ${erase}
       where state = 'queued' and address_hash = app.hash_mailbox($1) and lower(address) = lower($1)`,
      [claim.address],
    );
  });
}

/** Fails mails unsent after a day and deletes rows that no limit counts. @returns The number of failed mails. */
export async function sweepMail(db: Queryable, nowMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update app.mail set state = 'failed', error = coalesce(error, 'expired'), ${erase} where id in (
       select id from app.mail where state = 'queued' and next_at <= ${toTime("$1")}
         and created_at <= ${toTime("$1")} - interval '${lifetime}' limit $2 for update skip locked)`,
    [nowMs, limit],
  );
  await db.query(
    `delete from app.mail where id in (
       select id from app.mail where state <> 'queued' and created_at < ${toTime("$1")} - interval '2 days' limit $2)`,
    [nowMs, limit],
  );
  await db.query(`delete from app.mail_suspensions where suspended_at < ${toTime("$1")} - interval '30 days'`, [nowMs]);
  return rowCount ?? 0;
}
