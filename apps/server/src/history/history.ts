import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../db/database.ts";
import type { TradeRow } from "../pricing/toIndexedTrade.ts";
import { type CandlePage, readCandles, type SeriesRow } from "./candleQueries.ts";
import type { OldHistory } from "./engine/oldHistory.ts";
import { readLatestTrades, type StoredTrades } from "./latestTradeQueries.ts";
import { readPricedTrades, type StoredPricedTrades } from "./pricedTradeQueries.ts";
import { deriveSecondCandles, type SecondCandle } from "./secondCandles.ts";
import { type Place, readTradePage, type TradePage, type TradePageQuery } from "./tradePageQueries.ts";

/**
 * Reads the trades and candles of a token, however old: PostgreSQL answers what it has, and the engine continues where
 * PostgreSQL may lack rows. Every function returns null when the token is not indexed.
 *
 * All throw SlipwayError `history_unavailable` if old rows are needed and the engine does not answer.
 */
export type History = {
  /** The latest trades, newest first. */
  latest(db: Queryable, address: string, limit: number): Promise<TradePage | null>;
  /** Adds older trades to the latest trades that PostgreSQL has. */
  complete(db: Queryable, stored: StoredTrades, limit: number): Promise<TradeRow[]>;
  /** The trades before a trade, or of an account, a maker or a side, newest first; `expired` if `before` is no trade. */
  before(db: Queryable, page: TradePageQuery): Promise<TradePage | "expired" | null>;
  /** The latest candles that start before a time, newest first; one row with a null `t` when there is none. */
  candles(db: Queryable, page: CandlePage): Promise<SeriesRow[] | null>;
  /** The latest candles of a second that start before a time, of the first 24 hours of a token. */
  seconds(db: Queryable, page: SecondPageQuery): Promise<SecondPage | null>;
};

/** A page of candles of a second. */
export type SecondPage = Pick<StoredPricedTrades, "usd_known" | "head_time" | "launch_time"> & {
  /** Newest first. */
  candles: SecondCandle[];
  /** Whether older trades exist. */
  hasMore: boolean;
};
type SecondPageQuery = { address: string; before: number };

/** The seconds after a launch that have candles of a second. */
export const secondCandlesAge = 86_400;

/** Trades that a page of candles of a second reads. */
const maxSecondTrades = 2_000;

/** Creates the history. @param engine - Null if none is configured: PostgreSQL then has every row. */
export function createHistory(engine: OldHistory | null): History {
  const requireEngine = (): OldHistory => {
    if (engine === null) throw new SlipwayError("history_unavailable");
    return engine;
  };

  const complete: History["complete"] = async (db, { trades, old }, limit) => {
    if (old === null || trades.length >= limit) return trades;
    const query = { before: trades.at(-1) ?? null, limit: limit - trades.length, ...noFilter };
    return [...trades, ...(await requireEngine().listTrades(db, old, query))];
  };

  /** Reads the place of `before` in the engine if PostgreSQL does not have the trade. */
  const findPlace = async (before: string, stored: NonNullable<Awaited<ReturnType<typeof readTradePage>>>) => {
    if (stored.position !== null || stored.old === null) return stored.position;
    const [hash, logIndex] = before.split(":") as [string, string];
    return await requireEngine().findPlace(stored.old, hash, Number(logIndex));
  };

  const before: History["before"] = async (db, page) => {
    let stored = await readTradePage(db, page);
    if (stored === null) return null;
    let place: Place | null = null;
    if (page.before !== null) {
      place = await findPlace(page.before, stored);
      if (place === null) return "expired";
      // PostgreSQL has returned the newest page, because it does not know the place.
      if (stored.position === null) stored = { ...stored, trades: [], last_scanned: null };
    }
    const { trades, last_scanned: lastScanned, old } = stored;
    if (old === null || trades.length > page.limit || lastScanned !== null) {
      return toPage(trades, page.limit, lastScanned, engine !== null);
    }
    const query = {
      before: trades.at(-1) ?? place,
      limit: page.limit + 1 - trades.length,
      isBuy: page.side === null ? null : page.side === "buy",
      maker: page.maker,
      account: page.account,
    };
    const older = await requireEngine().listTrades(db, old, query);
    return toPage([...trades, ...older], page.limit, null, true);
  };

  return {
    latest: async (db, address, limit) => {
      const stored = await readLatestTrades(db, address, limit + 1);
      if (stored === null) return null;
      // PostgreSQL has the page, so the engine is not asked for what follows, which can be nothing.
      const isFull = stored.old !== null && stored.trades.length === limit;
      const trades = isFull ? stored.trades : await complete(db, stored, limit + 1);
      return toPage(trades, limit, isFull ? trades.at(-1)! : null, engine !== null);
    },
    complete,
    before,
    candles: async (db, page) => {
      const stored = await readCandles(db, page);
      const old = stored?.[0]?.old ?? null;
      if (stored === null || old === null) return stored;
      // PostgreSQL may have some of the old candles and lack others: the engine has all of them.
      const kept = stored.filter((row) => row.t !== null && row.t > old.time);
      if (kept.length >= page.limit) return kept;
      const query = { seconds: page.seconds, before: page.before, limit: page.limit - kept.length };
      const older = await requireEngine().listCandles(old, query);
      const { usd_known, head_time } = stored[0]!;
      const state = { usd_known, head_time, counts: null };
      const rows = [...kept, ...older.map((row) => ({ ...row, ...state }))];
      return rows.length > 0 ? rows : [{ ...state, t: null }];
    },
    seconds: async (db, { address, before }) => {
      // More than the maximum only if all these trades are of one second.
      for (let limit = maxSecondTrades + 1; ; limit *= 4) {
        const stored = await readPricedTrades(db, { address, before, ageSeconds: secondCandlesAge, limit });
        if (stored === null) return null;
        if (stored.is_removed) throw new SlipwayError("history_unavailable", "The trades of that time were removed.");
        const { trades, old, end_block: endBlock } = stored;
        let hasMore = trades.length === limit;
        if (old !== null && !hasMore) {
          const place = trades.at(-1) ?? (endBlock === null ? null : { block_number: endBlock, log_index: 0 });
          const missing = limit - trades.length;
          const older = await requireEngine().listPricedTrades(old, { before: place, limit: missing });
          hasMore = older.length === missing;
          const end = Math.min(before, stored.launch_time + secondCandlesAge);
          trades.push(...older.filter((trade) => trade.block_time < end));
        }
        const { start_price: price, start_eth_usd: ethUsd } = stored;
        const start = { price, usd: ethUsd === null ? null : price * ethUsd };
        const candles = deriveSecondCandles(trades, hasMore ? null : start);
        if (candles.length > 0 || !hasMore) return { ...stored, candles, hasMore };
      }
    },
  };
}

const noFilter = { isBuy: null, maker: null, account: null };

/** @param withBlock - Whether the next page can begin at a trade that PostgreSQL no longer has then. */
function toPage(
  trades: readonly TradeRow[],
  limit: number,
  lastScanned: (Place & { tx_hash: string }) | null,
  withBlock: boolean,
): TradePage {
  const page = trades.slice(0, limit);
  const last = trades.length > limit ? page.at(-1)! : lastScanned;
  if (last === null) return { trades: page, nextBefore: null };
  const id = `${last.tx_hash}:${last.log_index}`;
  return { trades: page, nextBefore: withBlock ? `${id}:${last.block_number}` : id };
}
