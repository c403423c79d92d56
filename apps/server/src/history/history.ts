import type { Queryable } from "../db/database.ts";
import type { TradeRow } from "../pricing/toIndexedTrade.ts";
import { readCandles, type SeriesRow } from "./candleQueries.ts";
import { readLatestTrades } from "./latestTradeQueries.ts";
import { readTradePage, type TradePage, type TradePageQuery } from "./tradePageQueries.ts";

/** Reads the trades and candles of a token, however old. Every function returns null when the token is not indexed. */
export type History = {
  /** The latest trades, newest first. */
  latest(db: Queryable, address: string, limit: number): Promise<TradeRow[] | null>;
  /** The trades before a trade, or of an account, a maker or a side, newest first; `expired` when no trade has the id `before`. */
  before(db: Queryable, page: TradePageQuery): Promise<TradePage | "expired" | null>;
  /** The latest candles that start before a time, newest first; one row with a null `t` when there is none. */
  candles(
    db: Queryable,
    page: { address: string; seconds: number; before: number; limit: number },
  ): Promise<SeriesRow[] | null>;
};

/** Creates the history whose rows are all in PostgreSQL. */
export function createHistory(): History {
  return { latest: readLatestTrades, before: readTradePage, candles: readCandles };
}
