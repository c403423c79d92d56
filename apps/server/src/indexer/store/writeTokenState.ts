import { windowStart } from "@slipway/protocol/candle";
import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { factSums, type TokenStateChange } from "../reduce/tokenChanges.ts";
import { toJson } from "./copyRows.ts";
import { saveBeforeImages } from "./undoLog.ts";

/** Writes the new state of each changed token, except its numbers of holders. Marks the 24 h windows of traded tokens as due. */
export async function writeTokenState(
  client: Client,
  states: readonly TokenStateChange[],
  undoBatchId: number | null,
): Promise<void> {
  if (states.length === 0) return;
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "token_state", states),
    () => upsertStates(client, states),
  ]);
}

async function upsertStates(client: Client, states: readonly TokenStateChange[]): Promise<void> {
  const columns = Object.keys(states[0]!);
  const unchanged = new Set(["token_id", "price_24h_ago", "oldest_minute"]);
  const sums = new Set<string>(factSums);
  const updates = columns
    .filter((column) => !unchanged.has(column))
    .map((column) => `${column} = ${sums.has(column) ? `s.${column} + ` : ""}excluded.${column}`);
  await runPrepared(
    client,
    `insert into chain.token_state as s (${columns.join(", ")})
     select ${columns.join(", ")} from json_populate_recordset(null::chain.token_state, $1::json)
     on conflict (token_id) do update set ${updates.join(", ")},
       oldest_minute = coalesce(excluded.oldest_minute, s.oldest_minute)`,
    [toJson(states)],
  );
}

/** Parameter $1: `windowStart`. */
const refresh = `
  update chain.token_state s set
    volume_24h_quote = w.vq, volume_24h_usd = w.v, trades_24h = w.n, buys_24h = w.buys, traders_24h = w.traders,
    price_24h_ago = w.price_ago, change_24h_pct = (s.price / w.price_ago - 1) * 100, oldest_minute = w.oldest
  from (
    select d.token_id, k.address, c.*, t.traders, coalesce(p.c, k.start_price) as price_ago
    from chain.token_state d
    join chain.tokens k on k.id = d.token_id
    cross join lateral (
      select coalesce(sum(vq), 0) as vq,
        case when bool_or(v is null) then null else coalesce(sum(v), 0) end as v,
        coalesce(sum(n), 0)::int as n, coalesce(sum(buys), 0)::int as buys, min(t) as oldest
      from chain.candles where token_id = d.token_id and seconds = 60 and t > $1
    ) c
    cross join lateral (
      select count(*)::int as traders from chain.traders where token_id = d.token_id and last_time >= $1 + 60
    ) t
    left join lateral chain.token_candles(d.token_id, 60, 0, $1 + 1, 1) p on true
    where d.oldest_minute <= $1
  ) w
  where s.token_id = w.token_id
  returning w.address`;

/**
 * Recomputes the 24 h window of each token that traded since the last run (oldest_minute = 0), or whose oldest minute
 * candle has left the window at the head's time. Other windows have not changed.
 *
 * @returns Addresses of the tokens whose window was recomputed.
 */
export async function refreshWindows(client: Client, headTime: number, batchId: number): Promise<string[]> {
  const start = windowStart(headTime);
  const [, { rows }] = await pipeline(client, [
    () =>
      runPrepared(
        client,
        `insert into chain.undo (batch_id, relation, key, before)
         select $2, 'token_state', jsonb_build_object('token_id', s.token_id), to_jsonb(s)
         from chain.token_state s where s.oldest_minute <= $1
         on conflict do nothing`,
        [start, batchId],
      ),
    () => runPrepared<{ address: string }>(client, refresh, [start]),
  ]);
  return rows.map((row) => row.address);
}
