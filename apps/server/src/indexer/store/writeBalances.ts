import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { BalanceChange } from "../reduce/tokenChanges.ts";
import { toArrays } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

/**
 * Adds a batch's balance changes, and updates the number of holders of each token, of those that never bought it, and of
 * each minute. Runs after the batch's traders are written. Deletes balances of zero.
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
  const minutes = rows.filter(({ counts }) => counts).map(({ token_id, t }) => ({ token_id, t }));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "balances", rows),
    () => saveBeforeImages(client, undoBatchId, "holder_minutes", minutes),
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
       select * from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::numeric[], $6::boolean[])
         as k(token_id, account_id, block_number, t, delta, counts)
     ), steps as materialized (
       select k.*, coalesce(b.balance, 0) as first,
         coalesce(b.balance, 0) + sum(k.delta) over (partition by k.token_id, k.account_id order by k.block_number) as after,
         lead(k.block_number) over (partition by k.token_id, k.account_id order by k.block_number) is null as is_last
       from changes k left join chain.balances b using (token_id, account_id)
     ), final as (
       select k.*, t.first_buy_block
       from steps k left join chain.traders t using (token_id, account_id)
       where k.is_last
     ), gone as (
       delete from chain.balances b using final k
       where b.token_id = k.token_id and b.account_id = k.account_id and k.after = 0
     ), written as (
       insert into chain.balances (token_id, account_id, balance)
       select token_id, account_id, after from final where after <> 0 and after <> first
       on conflict (token_id, account_id) do update set balance = excluded.balance
     ), minutes as (
       insert into chain.holder_minutes as m (token_id, t, came, gone)
       select token_id, t, count(*) filter (where after <> 0), count(*) filter (where after = 0)
       from steps where counts and (after <> 0) <> (after - delta <> 0) group by token_id, t
       on conflict (token_id, t) do update set came = m.came + excluded.came, gone = m.gone + excluded.gone
     )
     update chain.token_state s set
       holders = s.holders + c.holders, holders_without_buy = s.holders_without_buy + c.without_buy
     from (
       select token_id, sum((after <> 0)::int - (first <> 0)::int)::int as holders,
         sum((after <> 0 and first_buy_block is null)::int
           - (first <> 0 and coalesce(first_buy_block, $7) >= $7)::int)::int as without_buy
       from final where counts group by token_id
     ) c
     where s.token_id = c.token_id and (c.holders <> 0 or c.without_buy <> 0)`,
    [...toArrays(rows, ["token_id", "account_id", "block_number", "t", "delta", "counts"]), fromBlock],
  );
}
