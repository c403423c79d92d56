import type { Queryable } from "./database.ts";

/** A plan that runs now; `activeUntil` null: until it is ended. */
export type ActivePlan = { plan: string; activeFrom: Date; activeUntil: Date | null };

/** The plan that an account has now, the one that began last; null without any. */
export async function activePlanOf(db: Queryable, accountId: string): Promise<ActivePlan | null> {
  const { rows } = await db.query<{ plan: string; active_from: Date; active_until: Date | null }>(
    `select plan, active_from, active_until from app.plans
     where account_id = $1 and active_from <= now() and (active_until is null or active_until > now())
     order by active_from desc limit 1`,
    [accountId],
  );
  const row = rows[0];
  return row === undefined ? null : { plan: row.plan, activeFrom: row.active_from, activeUntil: row.active_until };
}
