import type { Queryable } from "../db/database.ts";
import type { Bar, BarInterval } from "./readBars.ts";
import { storeBars } from "./storeBars.ts";

/** An invalid import; the message says how to fix it. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}

/** Finds the market of a pair, or creates one for imports only. @throws ImportRefused for a pool market's name. */
export async function openImportedMarket(client: Queryable, pair: string): Promise<number> {
  if (/^T[0-9A-F]{10}([0-9A-F]{30})?_WETH$/.test(pair)) {
    throw new ImportRefused(
      `${pair} is the name of a launch's market, whose bars come from its pool; choose another pair`,
    );
  }
  const { rows } = await client.query<{ id: number }>(
    `insert into app.markets (pair, source) values ($1, 'import')
     on conflict (pair) do update set tracked = true returning id`,
    [pair],
  );
  return rows[0]!.id;
}

/**
 * Stores imported bars of a market.
 *
 * @param bars - Bars with their line numbers, ascending.
 * @throws ImportRefused if another bar of the same time is stored and `replace` is false.
 */
export async function storeImported(
  client: Queryable,
  market: { id: number; interval: BarInterval; replace: boolean },
  bars: readonly { line: number; bar: Bar }[],
): Promise<{ added: number; revised: number }> {
  const { id, interval, replace } = market;
  if (!replace) {
    const { rows } = await client.query<{ time: number }>(
      `select b.time::float8 as time from app.market_bars b join jsonb_to_recordset($3::jsonb) as r (time bigint, open float8, high float8,
         low float8, close float8, volume float8) on r.time = b.time
       where b.market_id = $1 and b.interval = $2
         and (b.open, b.high, b.low, b.close, b.volume) is distinct from (r.open, r.high, r.low, r.close, r.volume)
       order by b.time limit 1`,
      [id, interval, JSON.stringify(bars.map(({ bar }) => bar))],
    );
    const line = bars.find(({ bar }) => bar.time === rows[0]?.time)?.line;
    if (line !== undefined) {
      throw new ImportRefused(`line ${line}: another bar of this time is stored; --replace replaces it`);
    }
  }
  return await storeBars(
    client,
    id,
    interval,
    "import",
    bars.map(({ bar }) => bar),
  );
}
