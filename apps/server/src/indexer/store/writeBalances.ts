import type { Client } from "../../db/database.ts";
import { isBurnAddress } from "../events/tokenTransfer.ts";
import type { Batch } from "../reduce/batch.ts";
import { keepImages } from "./journal.ts";
import { toJson } from "./toJson.ts";

/**
 * Adds a batch's balance changes; a balance that becomes zero goes. Pool, locker and burn addresses hold for nobody:
 * they have balances but are no holders.
 *
 * @returns By how much each token's number of holders changed.
 */
export async function writeBalances(
  client: Client,
  batch: Batch,
  ids: ReadonlyMap<string, number>,
  journalId: number | null,
): Promise<Map<number, number>> {
  const rows: { token_id: number; account_id: number; delta: bigint; counts: boolean }[] = [];
  for (const token of batch.touched) {
    for (const [account, delta] of token.deltas) {
      if (delta === 0n) continue;
      const counts = account !== token.pool && account !== token.locker && !isBurnAddress(account);
      rows.push({ token_id: token.id, account_id: ids.get(account)!, delta, counts });
    }
  }
  if (rows.length === 0) return new Map();
  if (journalId !== null) await keepImages(client, journalId, "balances", rows);
  const { rows: changes } = await client.query<{ token_id: number; holders: number }>(
    `with changes as (
       select * from json_to_recordset($1::json) as k(token_id int, account_id int, delta numeric, counts boolean)
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
    [toJson(rows)],
  );
  return new Map(changes.map((row) => [row.token_id, row.holders]));
}
