import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import type { BalanceChange } from "../reduce/tokenChanges.ts";
import { toArrays } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";
import { updateHeldSql } from "./writeFirstBuys.ts";

/**
 * Adds a batch's balance changes, and updates the number of holders of each token, of those that never bought it, and of
 * each minute, and the tokens that first buyers hold. Runs after the batch's traders are written. Deletes balances of
 * zero.
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
  const accountIds = balances.map(({ account }) => ids.get(account)!);
  await pipeline(client, [
    () => saveBalances(client, balances, accountIds, undoBatchId),
    () => addBalances(client, balances, accountIds, fromBlock, undoBatchId),
  ]);
}

async function saveBalances(
  client: Client,
  balances: readonly BalanceChange[],
  accountIds: readonly number[],
  undoBatchId: number | null,
): Promise<void> {
  if (undoBatchId === null) return;
  const keys = balances.map(({ token_id }, i) => ({ token_id, account_id: accountIds[i]! }));
  const minutes = balances.flatMap(({ token_id, turns }) => turns.map(({ t }) => ({ token_id, t })));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "balances", keys),
    () => saveBeforeImages(client, undoBatchId, "holder_minutes", minutes),
  ]);
}

async function addBalances(
  client: Client,
  balances: readonly BalanceChange[],
  accountIds: readonly number[],
  fromBlock: number,
  undoBatchId: number | null,
): Promise<void> {
  const turns = balances.flatMap(({ token_id, lowest, turns: own }, i) =>
    own.map((turn) => ({ token_id, account_id: accountIds[i]!, lowest, ...turn })),
  );
  await runPrepared(
    client,
    `with changes as (
       select * from unnest($1::int[], $2::int[], $3::numeric[], $4::boolean[]) as k(token_id, account_id, delta, counts)
     ), final as materialized (
       select k.*, coalesce(b.balance, 0) as first, coalesce(b.balance, 0) + k.delta as after, t.first_buy_block
       from changes k left join chain.balances b using (token_id, account_id)
       left join chain.traders t using (token_id, account_id)
     ), gone as (
       delete from chain.balances b using final k
       where b.token_id = k.token_id and b.account_id = k.account_id and k.after = 0
     ), written as (
       insert into chain.balances (token_id, account_id, balance)
       select token_id, account_id, after from final where after <> 0 and after <> first
       on conflict (token_id, account_id) do update set balance = excluded.balance
     ), minutes as (
       insert into chain.holder_minutes as m (token_id, t, came, gone)
       select k.token_id, k.t, count(*) filter (where k.came), count(*) filter (where not k.came)
       from unnest($5::int[], $6::int[], $7::numeric[], $8::bigint[], $9::boolean[])
         as k(token_id, account_id, lowest, t, came)
       left join chain.balances b using (token_id, account_id)
       where coalesce(b.balance, 0) = -k.lowest group by k.token_id, k.t
       on conflict (token_id, t) do update set came = m.came + excluded.came, gone = m.gone + excluded.gone
     ), ${updateHeldSql("$11")}
     update chain.token_state s set
       holders = s.holders + c.holders, holders_without_buy = s.holders_without_buy + c.without_buy
     from (
       select token_id, sum((after <> 0)::int - (first <> 0)::int)::int as holders,
         sum((after <> 0 and first_buy_block is null)::int
           - (first <> 0 and coalesce(first_buy_block, $10) >= $10)::int)::int as without_buy
       from final where counts group by token_id
     ) c
     where s.token_id = c.token_id and (c.holders <> 0 or c.without_buy <> 0)`,
    [
      ...toArrays(balances, ["token_id"]),
      `{${accountIds.join(",")}}`,
      ...toArrays(balances, ["delta", "counts"]),
      ...toArrays(turns, ["token_id", "account_id", "lowest", "t", "came"]),
      ...[fromBlock, undoBatchId],
    ],
  );
}
