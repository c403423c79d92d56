import type { Queryable } from "../db/database.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { lockAccount } from "./accounts.ts";

/** A plan that is active now; `activeUntil` is null when it has no end. */
export type ActivePlan = { plan: string; activeFrom: Date; activeUntil: Date | null };

/** SQL: whether an account has the active plan `subscriber`. @param account - The expression of the account's id. */
export const isSubscriber = (account: string) => `exists (select from app.plans p where p.account_id = ${account}
  and p.plan = 'subscriber' and p.active_from <= now() and (p.active_until is null or p.active_until > now()))`;

/** Gets the active plan of an account that started last; null without an active plan. */
export async function getActivePlan(db: Queryable, accountId: string): Promise<ActivePlan | null> {
  const { rows } = await db.query<{ plan: string; active_from: Date; active_until: Date | null }>(
    `select plan, active_from, active_until from app.plans
     where account_id = $1 and active_from <= now() and (active_until is null or active_until > now())
     order by active_from desc limit 1`,
    [accountId],
  );
  const row = rows[0];
  return row === undefined ? null : { plan: row.plan, activeFrom: row.active_from, activeUntil: row.active_until };
}

/**
 * Starts a plan now, for `days` or without an end, with its event in the same transaction; null when the account does
 * not exist.
 */
export async function startPlan(
  client: Queryable,
  accountId: string,
  plan: string,
  days?: number,
): Promise<{ activeUntil: Date | null } | null> {
  const { rows } = await client.query<{ active_until: Date | null }>(
    `insert into app.plans (account_id, plan, active_from, active_until)
     select id, $2, clock_timestamp(), clock_timestamp() + make_interval(days => $3::int)
     from app.accounts where id = $1 and deleted_at is null for key share returning active_until`,
    [accountId, plan, days ?? null],
  );
  const started = rows[0];
  if (started === undefined) return null;
  await recordAccountEvent(client, accountId, "plan_changed", { plan, active_until: started.active_until });
  return { activeUntil: started.active_until };
}

/**
 * Adds days of a plan that were paid: they begin when the account's last period of this plan ends, or now. The event is
 * in the same transaction.
 *
 * @returns Null when the account does not exist.
 */
export async function extendPlan(
  client: Queryable,
  accountId: string,
  plan: string,
  days: number,
): Promise<{ activeUntil: Date } | null> {
  // Two payments at the same time add both their days.
  await lockAccount(client, accountId);
  const { rows } = await client.query<{ active_until: Date }>(
    `insert into app.plans (account_id, plan, active_from, active_until)
     select a.id, $2, begins.at, begins.at + make_interval(days => $3::int)
     from app.accounts a, lateral (
       select greatest(clock_timestamp(), max(active_until)) as at from app.plans where account_id = a.id and plan = $2
     ) begins
     where a.id = $1 and a.deleted_at is null returning active_until`,
    [accountId, plan, days],
  );
  const extended = rows[0];
  if (extended === undefined) return null;
  await recordAccountEvent(client, accountId, "plan_changed", { plan, active_until: extended.active_until });
  return { activeUntil: extended.active_until };
}

/** Ends every active plan of an account, with its event in the same transaction; returns the number of ended plans. */
export async function endPlans(client: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await client.query(
    "update app.plans set active_until = now() where account_id = $1 and (active_until is null or active_until > now())",
    [accountId],
  );
  if (rowCount) await recordAccountEvent(client, accountId, "plan_changed", { plan: null });
  return rowCount ?? 0;
}
