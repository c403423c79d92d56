import type { Queryable } from "../db/database.ts";
import type { Bar, BarInterval } from "./readBars.ts";

/** Source of a stored bar. */
export const barSources = { history: 1, live: 2, import: 3 } as const;

/** Maximum bars of one statement. */
const chunk = 1000;

/**
 * Stores closed bars of a market. Replaces a stored bar that differs and marks it as revised; keeps an equal bar.
 *
 * @param bars - Valid bars (`screenBars.ts`) with unique times.
 * @returns The numbers of new and of revised bars.
 */
export async function storeBars(
  db: Queryable,
  marketId: number,
  interval: BarInterval,
  source: keyof typeof barSources,
  bars: readonly Bar[],
): Promise<{ added: number; revised: number }> {
  const total = { added: 0, revised: 0 };
  if (bars.length === 0) return total;
  const times = bars.map(({ time }) => time);
  await db.query("select app.create_bar_partitions($1, $2)", [
    times.reduce((a, b) => Math.min(a, b)),
    times.reduce((a, b) => Math.max(a, b)),
  ]);
  for (let at = 0; at < bars.length; at += chunk) {
    const part = bars.slice(at, at + chunk);
    const { rows } = await db.query<{ added: number; revised: number }>(
      `with written as (
         insert into app.market_bars as b (market_id, interval, time, open, high, low, close, volume, quote_volume,
           trades, source)
         select $1, $2, r.time, r.open, r.high, r.low, r.close, r.volume, r."quoteVolume", r.trades, $3
         from jsonb_to_recordset($4::jsonb) as r (time bigint, open float8, high float8, low float8, close float8,
           volume float8, "quoteVolume" float8, trades int)
         on conflict (market_id, interval, time) do update
           set open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close,
             volume = excluded.volume, quote_volume = excluded.quote_volume, trades = excluded.trades,
             source = excluded.source, revised_at = now()
           where (b.open, b.high, b.low, b.close, b.volume)
             is distinct from (excluded.open, excluded.high, excluded.low, excluded.close, excluded.volume)
         returning revised_at
       )
       select count(*) filter (where revised_at is null)::int as added, count(revised_at)::int as revised from written`,
      [marketId, interval, barSources[source], JSON.stringify(part)],
    );
    total.added += rows[0]!.added;
    total.revised += rows[0]!.revised;
  }
  return total;
}
