import { bucketStart } from "@slipway/protocol/candle";
import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";
import type { ReducedTrade } from "../events/poolSwap.ts";
import { daySeconds } from "../reduce/batch.ts";
import { toArrays } from "./copyRows.ts";

/**
 * Adds the accounts of a batch that have not traded before on the same day to the day's totals, which must exist. Runs before
 * the times of their last trades are written.
 */
export async function writeDayTraders(
  client: Client,
  trades: readonly ReducedTrade[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  if (trades.length === 0) return;
  const accountsByDay = new Map<number, Set<number>>();
  for (const { account, block_time: time } of trades) {
    const t = bucketStart(time, daySeconds);
    let accounts = accountsByDay.get(t);
    if (accounts === undefined) {
      accounts = new Set();
      accountsByDay.set(t, accounts);
    }
    accounts.add(ids.get(account)!);
  }
  const pairs = [...accountsByDay].flatMap(([t, accounts]) => [...accounts].map((account_id) => ({ account_id, t })));
  await runPrepared(
    client,
    `update chain.totals m set traders = coalesce(m.traders, 0) + n.traders
     from (
       select d.t, count(*) as traders from unnest($1::int[], $2::bigint[]) d(account_id, t)
       -- token_id 0: the last trade of any token.
       left join chain.traders p on p.token_id = 0 and p.account_id = d.account_id
       where p.last_time is null or p.last_time < d.t group by d.t
     ) n
     where m.seconds = ${daySeconds} and m.t = n.t`,
    toArrays(pairs, ["account_id", "t"]),
  );
}
