import type { Queryable } from "../db/database.ts";
import type { Market } from "./market.ts";

/** The lengths of bars, in seconds. */
export type BarInterval = 60 | 3600;

/** A closed bar. Prices are in the quote asset for one unit of the base. */
export type Bar = {
  /** Unix seconds of the open. */
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  /** In the base asset. For a pool: `quoteVolume` converted at the bar's mean price. */
  volume: number;
  quoteVolume: number | null;
  trades: number | null;
};

const columns = `b.time, b.open, b.high, b.low, b.close, b.volume, b.quote_volume as "quoteVolume", b.trades`;

/** SQL of the bars. $1: token or market, $2: interval, $3, $4: first and last time, $5: limit. */
const sources = {
  pool: `chain.read_pool_bars($1, $2, $3, $4, $5) b`,
  market: `app.market_bars b where b.market_id = $1 and b.interval = $2 and b.time >= $3 and b.time <= $4`,
};

/**
 * Reads closed bars of a market, ascending. Bars without a trade are missing.
 *
 * @param range - `from` and `to` are Unix seconds of opens, both included; `limit` keeps the last bars.
 */
export async function readBars(
  db: Queryable,
  market: Pick<Market, "id" | "source" | "token">,
  interval: BarInterval,
  range: { from?: number; to?: number; limit?: number },
): Promise<Bar[]> {
  const isPool = market.source === "pool";
  const { rows } = await db.query<Bar>({
    name: isPool ? "pool-bars" : "market-bars",
    text: `
      select ${columns} from ${isPool ? sources.pool : sources.market} order by b.time desc limit $5`,
    values: [isPool ? market.token : market.id, interval, range.from ?? 0, range.to ?? maxTime, range.limit ?? maxBars],
  });
  return rows.reverse();
}

/** Later than any bar, and more bars than any market has. */
const maxTime = 10 ** 12;
const maxBars = 10 ** 9;
