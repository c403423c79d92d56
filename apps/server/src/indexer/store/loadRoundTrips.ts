import type { Queryable } from "../../db/database.ts";
import type { IndexState } from "../indexState.ts";
import { restoreRoundTrips, roundTripSeconds } from "../reduce/roundTrips.ts";

/** Loads what each account bought and sold since the start of the checkpoint's interval of round trips. */
export async function loadRoundTrips(db: Queryable, state: IndexState): Promise<void> {
  const { rows } = await db.query<{
    block_time: number;
    token_id: number;
    account: string;
    bought: string;
    sold: string;
  }>(
    // The minutes map times to blocks, because trades are indexed by block.
    `select c.block_time, t.token_id, '0x' || encode(a.address, 'hex') as account, t.bought, t.sold
     from chain.checkpoint c
     cross join lateral (
       select token_id, account_id, coalesce(sum(token_amount) filter (where is_buy), 0) as bought,
         coalesce(sum(token_amount) filter (where not is_buy), 0) as sold
       from chain.trades
       where block_number >= (
         select first_block from chain.totals
         where seconds = 60 and t >= c.block_time - c.block_time % ${roundTripSeconds} order by t limit 1)
       group by token_id, account_id
     ) t
     join chain.accounts a on a.id = t.account_id`,
  );
  for (const { token_id, block_time, account, bought, sold } of rows) {
    restoreRoundTrips(state.roundTrips, token_id, block_time, account, {
      bought: BigInt(bought),
      sold: BigInt(sold),
    });
  }
}
