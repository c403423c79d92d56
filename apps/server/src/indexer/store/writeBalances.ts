import type { Client } from "../../db/database.ts";
import type { BalanceChange } from "../reduce/rows.ts";
import { keepImages } from "./journal.ts";
import { toArrays } from "./toArrays.ts";

/**
 * Adds a batch's balance changes; a balance that becomes zero goes.
 *
 * @returns By how much each token's number of holders changed.
 */
export async function writeBalances(
  client: Client,
  balances: readonly BalanceChange[],
  ids: ReadonlyMap<string, number>,
  journalId: number | null,
): Promise<Map<number, number>> {
  if (balances.length === 0) return new Map();
  const rows = balances.map((row) => ({ ...row, account_id: ids.get(row.account)! }));
  if (journalId !== null) await keepImages(client, journalId, "balances", rows);
  const { rows: changes } = await client.query<{ token_id: number; holders: number }>(
    `with changes as (
       select * from unnest($1::int[], $2::int[], $3::numeric[], $4::boolean[]) as k(token_id, account_id, delta, counts)
     ), known as (
       select k.*, coalesce(b.balance, 0) as before from changes k left join chain.balances b using (token_id, account_id)
     ), gone as (
       delete from chain.balances b using known k
       where b.token_id = k.token_id and b.account_id = k.account_id and k.before + k.delta = 0
     ), written as (
       insert into chain.balances (token_id, account_id, balance)
       select token_id, account_id, before + delta from known where before + delta <> 0
       on conflict (token_id, account_id) do update set balance = excluded.balance
     )
     select token_id, sum((before + delta <> 0)::int - (before <> 0)::int)::int as holders
     from known where counts group by token_id`,
    toArrays(rows, ["token_id", "account_id", "delta", "counts"]),
  );
  return new Map(changes.map((row) => [row.token_id, row.holders]));
}
