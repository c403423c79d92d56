import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { BalanceChange } from "../reduce/tokenChanges.ts";
import { toArrays } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

/**
 * Adds a batch's balance changes, and updates the number of holders of each token and of those that never bought it. Runs
 * after the batch's traders are written. Deletes balances of zero.
 *
 * @param fromBlock - The first block of the batch: a trader that bought before it was a buyer before the batch.
 */
export async function writeBalances(
  client: Client,
  balances: readonly BalanceChange[],
  ids: ReadonlyMap<string, number>,
  fromBlock: number,
  undoBatchId: number | null,
): Promise<void> {
  if (balances.length === 0) return;
  const rows = balances.map((row) => ({ ...row, account_id: ids.get(row.account)! }));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "balances", rows),
    () => addBalances(client, rows, fromBlock),
  ]);
}

async function addBalances(
  client: Client,
  rows: readonly (BalanceChange & { account_id: number })[],
  fromBlock: number,
): Promise<void> {
  await runPrepared(
    client,
    `with changes as (
       select * from unnest($1::int[], $2::int[], $3::numeric[], $4::boolean[]) as k(token_id, account_id, delta, counts)
     ), known as (
       select k.*, coalesce(b.balance, 0) as before, t.first_buy_block
       from changes k
       left join chain.balances b using (token_id, account_id)
       left join chain.traders t using (token_id, account_id)
     ), gone as (
       delete from chain.balances b using known k
       where b.token_id = k.token_id and b.account_id = k.account_id and k.before + k.delta = 0
     ), written as (
       insert into chain.balances (token_id, account_id, balance)
       select token_id, account_id, before + delta from known where before + delta <> 0 and delta <> 0
       on conflict (token_id, account_id) do update set balance = excluded.balance
     )
     update chain.token_state s set
       holders = s.holders + c.holders, holders_without_buy = s.holders_without_buy + c.without_buy
     from (
       select token_id, sum((before + delta <> 0)::int - (before <> 0)::int)::int as holders,
         sum((before + delta <> 0 and first_buy_block is null)::int
           - (before <> 0 and coalesce(first_buy_block, $5) >= $5)::int)::int as without_buy
       from known where counts group by token_id
     ) c
     where s.token_id = c.token_id and (c.holders <> 0 or c.without_buy <> 0)`,
    [...toArrays(rows, ["token_id", "account_id", "delta", "counts"]), fromBlock],
  );
}
