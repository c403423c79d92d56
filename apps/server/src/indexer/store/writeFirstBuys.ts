import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { launchWindows } from "../reduce/launchFacts.ts";
import type { FirstBuy } from "../reduce/tokenChanges.ts";
import { toArrays } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

type AccountIds = ReadonlyMap<string, number>;

/** SQL for each window, joined. */
const forWindows = (sql: (window: string) => string, separator = ", ") => launchWindows.map(sql).join(separator);

/**
 * Common table expressions that update the tokens which first buyers hold, for the statement that writes balances: `final`
 * has the balance of each changed account before the batch, `first`, and after it. `addFirstBuys` adds the part of the
 * batch's own first buys.
 *
 * @param undoBatchId - The parameter with the batch whose undo log saves the former sums; null for none.
 */
export const updateHeldSql = (undoBatchId: string): string => `
  held as materialized (
    select token_id, ${forWindows((w) => `sum(least(k.after, f.bought_${w}) - least(k.first, f.bought_${w})) as held_${w}`)}
    from final k join chain.first_buyers f using (token_id, account_id)
    group by token_id
  ), saved_held as (
    insert into chain.undo (batch_id, relation, key, before)
    select ${undoBatchId}::bigint, 'first_buys', jsonb_build_object('token_id', s.token_id), to_jsonb(s)
    from held join chain.first_buys s using (token_id) where ${undoBatchId}::bigint is not null
    on conflict do nothing
  ), updated_held as (
    update chain.first_buys s set ${forWindows((w) => `held_${w} = s.held_${w} + h.held_${w}`)}
    from held h where s.token_id = h.token_id
  )`;

/** Adds a batch's first buys. Runs after the balances are written. */
export async function addFirstBuys(
  client: Client,
  firstBuys: readonly FirstBuy[],
  ids: AccountIds,
  undoBatchId: number | null,
): Promise<void> {
  if (firstBuys.length === 0) return;
  const rows = firstBuys.map(({ token_id, account, bought }) => ({
    token_id,
    account_id: ids.get(account)!,
    ...Object.fromEntries(launchWindows.map((window, i) => [window, bought[i]!])),
  }));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "first_buyers", rows),
    () => saveBeforeImages(client, undoBatchId, "first_buys", rows),
    () => runPrepared(client, addSql, toArrays(rows as never, ["token_id", "account_id", ...launchWindows] as never)),
  ]);
}

const sums = ["bought", "buyers", "held"].flatMap((sum) => launchWindows.map((window) => `${sum}_${window}`));

/** Adds buys to chain.first_buyers, and what they add to the sums of their tokens. */
const addSql = `
  with added as (
    select * from unnest($1::int[], $2::int[], ${forWindows((w) => `$${launchWindows.indexOf(w as never) + 3}::numeric[]`)})
      as k(token_id, account_id, ${forWindows((w) => `add_${w}`)})
  ), known as materialized (
    select a.*, coalesce(b.balance, 0) as balance, ${forWindows((w) => `coalesce(f.bought_${w}, 0) as before_${w}`)}
    from added a
    left join chain.first_buyers f using (token_id, account_id)
    left join chain.balances b using (token_id, account_id)
  ), written as (
    insert into chain.first_buyers (token_id, account_id, ${forWindows((w) => `bought_${w}`)})
    select token_id, account_id, ${forWindows((w) => `before_${w} + add_${w}`)} from known
    on conflict (token_id, account_id) do update set ${forWindows((w) => `bought_${w} = excluded.bought_${w}`)}
  )
  insert into chain.first_buys as s (token_id, ${sums.join(", ")})
  select token_id, ${forWindows((w) => `sum(add_${w})`)},
    ${forWindows((w) => `count(*) filter (where before_${w} = 0 and add_${w} > 0)`)},
    ${forWindows((w) => `sum(least(balance, before_${w} + add_${w}) - least(balance, before_${w}))`)}
  from known group by token_id
  on conflict (token_id) do update set ${sums.map((sum) => `${sum} = s.${sum} + excluded.${sum}`).join(", ")}`;
