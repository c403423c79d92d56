import type { AlertRule } from "@slipway/protocol/alerts";
import { isSubscriber } from "../../accounts/plans.ts";
import { isNotSuspended } from "../../accounts/queueMail.ts";
import type { Queryable } from "../../db/database.ts";
import type { AlertState } from "./judgeReading.ts";

/** A rule that can send mails now. */
export type ActiveRule = AlertRule & {
  id: string;
  accountId: string;
  addressId: string;
  address: string;
  state: AlertState;
  /** Whether the rule has sent a mail within the last 6 hours. */
  isRecent: boolean;
};

/** SQL: whether the address `a` of a rule `l` is confirmed and not suspended, and the account has the plan. */
const isActive = `a.confirmed_at is not null and ${isNotSuspended("a.address")} and ${isSubscriber("l.account_id")}`;

/** Lists the pairs of active rules. */
export async function listAlertPairs(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ pair: string }>(
    `select distinct l.pair from app.alerts l join app.alert_addresses a on a.id = l.address_id where ${isActive} order by 1`,
  );
  return rows.map(({ pair }) => pair);
}

/**
 * Locks active rules of a pair that are not judged for a bar yet, until the end of the transaction. Skips rules that
 * another worker has locked.
 */
export async function lockDueRules(
  client: Queryable,
  { pair, bar, metrics, limit }: { pair: string; bar: number; metrics: readonly string[]; limit: number },
): Promise<ActiveRule[]> {
  const { rows } = await client.query<ActiveRule>(
    `select l.id, l.account_id as "accountId", l.address_id as "addressId", a.address, l.metric, l.op, l.value, l.state,
       coalesce(l.fired_at > now() - interval '6 hours', false) as "isRecent"
     from app.alerts l join app.alert_addresses a on a.id = l.address_id
     where l.pair = $1 and (l.judged_bar is null or l.judged_bar < $2) and l.metric = any($3) and ${isActive}
     order by app.mailbox_key(a.address), l.id limit $4 for update of l skip locked`,
    [pair, bar, metrics, limit],
  );
  return rows;
}

/** Stores a rule's state after a bar. */
export async function storeJudgement(
  client: Queryable,
  { id, bar, state, fires }: { id: string; bar: number; state: AlertState; fires: boolean },
): Promise<void> {
  await client.query(
    `update app.alerts set judged_bar = $2, state = $3, fired_at = case when $4 then now() else fired_at end where id = $1`,
    [id, bar, state, fires],
  );
}
