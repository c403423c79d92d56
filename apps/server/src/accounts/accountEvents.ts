import type { AccountEventKind } from "@slipway/protocol/accounts";
import type { Queryable } from "../db/database.ts";
import { isNotSuspended } from "./queueMail.ts";

export type AccountEventRow = {
  id: number;
  kind: AccountEventKind;
  details: Record<string, unknown>;
  created_at: Date;
};

/**
 * Records an event of an account, for its owner.
 *
 * @param client - The transaction of the change itself, so that neither is stored without the other.
 * @param details - Ids and names that identify the changed object; never a secret.
 */
export async function recordAccountEvent(
  client: Queryable,
  accountId: string,
  kind: AccountEventKind,
  details: Record<string, unknown> = {},
): Promise<void> {
  // One statement: some callers have no transaction.
  await client.query(
    `with event as (
       insert into app.account_events (account_id, kind, details) values ($1, $2, $3)
       returning 'event:' || id as key, account_id, kind, created_at
     )
     ${selectSecurityMails("event")} where $4`,
    [accountId, kind, details, !unmailedKinds.has(kind)],
  );
}

/** Events that do not change who can use the account. */
const unmailedKinds: ReadonlySet<AccountEventKind> = new Set(["plan_changed", "draft_deleted"]);

/** Maximum security mails of an address in 24 hours: otherwise the holder of a session could fill its mailbox. */
const maxDailyMails = 50;

/**
 * SQL that queues a mail to each address of the account that a provider has verified. No addresses are stored while
 * mail is not configured.
 *
 * @param event - A relation with `key`, `account_id`, `kind` and `created_at`.
 */
export const selectSecurityMails = (event: string) => `
  insert into app.mail (id, dedupe_key, kind, account_id, address, address_hash, content)
  select gen_random_uuid(), e.key || ':' || encode(a.hash, 'hex'), 'security', e.account_id, a.address, a.hash,
    jsonb_build_object('event', e.kind, 'at', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
  from ${event} e join lateral (
    select distinct on (hash) p.address, app.hash_mailbox(p.address) as hash
    from app.identities i
    join app.provider_addresses p on p.provider_id = i.provider_id and p.account_id = i.account_id
    where i.user_id = e.account_id order by hash
  ) a on ${isNotSuspended("a.address")} and (
    select count(*) from app.mail m where m.address_hash = a.hash and m.kind = 'security'
      and m.created_at > now() - interval '24 hours') < ${maxDailyMails}`;

/** Lists a page of an account's events, newest first; `before` is the last id of the previous page. */
export async function listAccountEvents(
  db: Queryable,
  accountId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<AccountEventRow[]> {
  const { rows } = await db.query<AccountEventRow>(
    `select id::float8 as id, kind, details, created_at from app.account_events
     where account_id = $1 and ($3::bigint is null or id < $3) order by id desc limit $2`,
    [accountId, limit, before ?? null],
  );
  return rows;
}
