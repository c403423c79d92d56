import { windowStart } from "@slipway/protocol/candle";
import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";

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
    left join lateral (
      select c from chain.candles where token_id = d.token_id and seconds = 60 and t <= $1 order by t desc limit 1
    ) p on true
    where d.oldest_minute <= $1
  ) w
  where s.token_id = w.token_id
  returning w.address`;

/**
 * Computes the 24 h windows anew of every token that traded since (oldest_minute = 0) or whose oldest minute bucket has
 * left the window at the head's time. The others' windows have not changed.
 *
 * @returns Addresses of the tokens whose window was computed.
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
