import type { AlertRule, NewAlert } from "@slipway/protocol/alerts";
import { maxAlerts } from "@slipway/protocol/alerts";
import { SlipwayError } from "@slipway/protocol/errors";
import type { AlertSubject } from "@slipway/protocol/webhooks";
import { lockAccount } from "../../accounts/accounts.ts";
import {
  countMail,
  erase,
  isDomainExhausted,
  isNotSuspended,
  lockAddress,
  queueMail,
} from "../../accounts/queueMail.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { toStoredSubject } from "../../live/subjectKeys.ts";
import type { AlertState } from "./judgeReading.ts";

/** Maximum number of confirmation mails in 24 hours, per address and per account. */
const maxConfirmations = { ofAddress: 3, ofAccount: 10 };

/** The events of a subject for its confirmation mail, without the addresses and amounts, which the requester chose. */
const kindNames: Record<AlertSubject["kind"], string> = {
  launches: "new launches",
  trades: "trades of a token",
  large_trades: "large trades",
  wallet_trades: "trades of a wallet",
  price: "the price of a token",
  fees: "fees of a wallet",
};

export type AlertToStore = {
  id: string;
  /** The id of the address if the account has not used the address yet. */
  addressId: string;
  accountId: string;
  idempotencyKey: string;
  bodyHash: Uint8Array;
  alert: NewAlert;
};

/**
 * Stores an alert and queues the confirmation mail for its address, in one transaction.
 *
 * No mail is sent to a suspended address or to an address that has reached its daily limit. The response does not show
 * this, and the account's own limit counts such mails too; otherwise callers could see whether others use an address.
 *
 * @returns The id of the alert; the id of the earlier alert if the key was used with the same body.
 * @throws SlipwayError `idempotency_key_reused`, `too_many_alerts`, `rate_limited`.
 */
export async function storeAlert(pool: Database["api"], row: AlertToStore): Promise<{ id: string; isNew: boolean }> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, row.accountId);
    const earlier = await findByKey(client, row.accountId, row.idempotencyKey);
    if (earlier !== null) {
      if (!earlier.body_hash.equals(row.bodyHash)) throw new SlipwayError("idempotency_key_reused");
      return { id: earlier.id, isNew: false };
    }
    const { rows } = await client.query<{ count: number }>(
      `select ((select count(*) from app.alerts where account_id = $1)
         + (select count(*) from app.subject_alerts where account_id = $1))::int as count`,
      [row.accountId],
    );
    if (rows[0]!.count >= maxAlerts) throw new SlipwayError("too_many_alerts");
    const address = await useAddress(client, row);
    const { pair, rule, subject } = row.alert;
    if (subject === undefined) await insertAlert(client, row, address.id, { pair: pair!, rule: rule! });
    else await insertSubjectAlert(client, row, address.id, subject);
    if (address.confirmed_at === null) await askForConfirmation(client, row, address);
    return { id: row.id, isNew: true };
  });
}

async function findByKey(client: Queryable, accountId: string, key: string) {
  const { rows } = await client.query<{ id: string; body_hash: Buffer }>(
    `select id, body_hash from app.alerts where account_id = $1 and idempotency_key = $2
     union all select id, body_hash from app.subject_alerts where account_id = $1 and idempotency_key = $2`,
    [accountId, key],
  );
  return rows[0] ?? null;
}

/** An address of the account, in the spelling that mails are sent to. */
type UsedAddress = { id: string; address: string; confirmed_at: Date | null };

/** Finds or adds an address of the account. */
async function useAddress(client: Queryable, { addressId, accountId, alert }: AlertToStore): Promise<UsedAddress> {
  const { rows } = await client.query<UsedAddress>(
    `insert into app.alert_addresses (id, account_id, address, address_key) values ($1, $2, $3, app.address_key($3))
     on conflict (account_id, address_key) do update set address_key = excluded.address_key
     returning id, address, confirmed_at`,
    [addressId, accountId, alert.email],
  );
  return rows[0]!;
}

async function insertAlert(
  client: Queryable,
  { id, accountId, idempotencyKey, bodyHash }: AlertToStore,
  addressId: string,
  alert: { pair: string; rule: AlertRule },
) {
  await client.query(
    `insert into app.alerts (id, account_id, address_id, idempotency_key, body_hash, pair, metric, op, value)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, accountId, addressId, idempotencyKey, bodyHash],
      ...[alert.pair, alert.rule.metric, alert.rule.op, JSON.stringify(alert.rule.value)],
    ],
  );
}

/** Stores an alert of events, with the row of the webhooks' matching. It has no endpoint and no secret. */
async function insertSubjectAlert(
  client: Queryable,
  { id, accountId, idempotencyKey, bodyHash }: AlertToStore,
  addressId: string,
  subject: AlertSubject,
) {
  await client.query(
    "insert into app.subject_alerts (id, account_id, address_id, idempotency_key, body_hash) values ($1, $2, $3, $4, $5)",
    [id, accountId, addressId, idempotencyKey, bodyHash],
  );
  const { matchKey, minAmount, crossing } = toStoredSubject(subject);
  await client.query(
    `insert into app.webhooks (id, account_id, alert_id, idempotency_key, body_hash, url, host, secret, subject, match_key,
       min_amount, price_op, price, cursor)
     values (gen_random_uuid(), $1, $2, $3, $4, '', '', '', $5, $6, $7, $8, $9,
       (select coalesce(max(id), 0) from chain.outbox))`,
    [
      ...[accountId, id, `alert ${id}`, bodyHash, subject],
      ...[matchKey, minAmount, crossing?.op ?? null, crossing?.price ?? null],
    ],
  );
}

/** Queues the confirmation mail to the stored spelling, because another spelling can be another person's mailbox. */
async function askForConfirmation(
  client: Queryable,
  { id, accountId, alert }: AlertToStore,
  { id: addressId, address }: UsedAddress,
) {
  await lockAddress(client, address);
  const sent = await countMail(client, { kind: "confirm", accountId, address });
  if (sent.ofAccount >= maxConfirmations.ofAccount) {
    throw new SlipwayError(
      "rate_limited",
      "The account has requested ten confirmations in 24 hours; try again later.",
      {
        details: { policy: "confirmations", retry_after_seconds: 3_600 },
      },
    );
  }
  const isLimited = sent.ofAddress >= maxConfirmations.ofAddress || (await isDomainExhausted(client, address));
  await queueMail(client, {
    dedupeKey: `confirm:${id}`,
    kind: "confirm",
    ...{ accountId, addressId, alertId: id, address },
    content: alert.subject === undefined ? { rule: alert.rule } : { events: kindNames[alert.subject.kind] },
    heldBack: isLimited ? "limit" : undefined,
  });
}

export type AlertRow = {
  id: string;
  address: string;
  pair: string | null;
  rule: AlertRule | null;
  subject: AlertSubject | null;
  state: AlertState;
  is_confirmed: boolean;
  is_suspended: boolean;
  fired_at: Date | null;
  created_at: Date;
};

/** Lists the alerts of an account, newest first. */
export async function listAlerts(db: Queryable, accountId: string): Promise<AlertRow[]> {
  const { rows } = await db.query<AlertRow>(
    `select l.id, a.address, l.pair, l.rule, l.subject, l.state, l.fired_at, l.created_at,
       a.confirmed_at is not null as is_confirmed, not ${isNotSuspended("a.address")} as is_suspended
     from (
       select id, address_id, pair, jsonb_build_object('metric', metric, 'op', op, 'value', value) as rule,
         null::jsonb as subject, state, fired_at, created_at
       from app.alerts where account_id = $1
       union all
       select s.id, s.address_id, null, null, w.subject, 'armed', s.fired_at, s.created_at
       from app.subject_alerts s join app.webhooks w on w.alert_id = s.id where s.account_id = $1
     ) l join app.alert_addresses a on a.id = l.address_id
     order by l.created_at desc, l.id desc`,
    [accountId],
  );
  return rows;
}

/**
 * Deletes an alert and cancels its unsent mails; the last alert of an address also deletes the address.
 *
 * @returns False if the account has no such alert.
 */
export async function deleteAlert(pool: Database["api"], accountId: string, id: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const { rows } = await client.query<{ address_id: string }>(
      `with rules as (delete from app.alerts where id = $1 and account_id = $2 returning address_id),
         events as (delete from app.subject_alerts where id = $1 and account_id = $2 returning address_id)
       select address_id from rules union all select address_id from events`,
      [id, accountId],
    );
    const deleted = rows[0];
    if (deleted === undefined) return false;
    await client.query(
      `update app.mail set state = 'cancelled', ${erase} where address_id = $1 and alert_id = $2 and state = 'queued'`,
      [deleted.address_id, id],
    );
    await client.query(
      `delete from app.alert_addresses where id = $1 and not exists (select from app.alerts where address_id = $1)
         and not exists (select from app.subject_alerts where address_id = $1)`,
      [deleted.address_id],
    );
    return true;
  });
}

/** Confirms an address; idempotent. Returns false if the account has no alert for the address any more. */
export async function confirmAddress(db: Queryable, addressId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "update app.alert_addresses set confirmed_at = coalesce(confirmed_at, now()) where id = $1",
    [addressId],
  );
  return rowCount === 1;
}

/** Deletes all alerts of an account to an address and cancels their unsent mails. */
export async function unsubscribeAddress(pool: Database["api"], addressId: string): Promise<void> {
  await withTransaction(pool, async (client) => {
    await client.query("delete from app.alert_addresses where id = $1", [addressId]);
    await client.query(`update app.mail set state = 'cancelled', ${erase} where address_id = $1 and state = 'queued'`, [
      addressId,
    ]);
  });
}
