import type { AccountEventKind } from "@slipway/protocol/accounts";
import type { Queryable } from "../db/database.ts";

export type AccountEventRow = {
  id: number;
  kind: AccountEventKind;
  details: Record<string, unknown>;
  created_at: Date;
};

/**
 * Records what happened to an account, for its owner.
 *
 * @param client - The transaction of the change itself, so that neither is stored without the other.
 * @param details - Ids and names that identify what changed; never a secret.
 */
export async function recordAccountEvent(
  client: Queryable,
  accountId: string,
  kind: AccountEventKind,
  details: Record<string, unknown> = {},
): Promise<void> {
  await client.query("insert into app.account_events (account_id, kind, details) values ($1, $2, $3)", [
    accountId,
    kind,
    details,
  ]);
}

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
