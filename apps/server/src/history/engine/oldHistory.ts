import { SlipwayError } from "@slipway/protocol/errors";
import type { Logger } from "pino";
import type { Queryable } from "../../db/database.ts";
import type { Metrics } from "../../metrics.ts";
import type { CandleRow } from "../../pricing/toIndexedCandle.ts";
import type { TradeRow } from "../../pricing/toIndexedTrade.ts";
import type { ClickHouse } from "../../providers/clickHouse/createClickHouse.ts";
import type { OldRows } from "../oldRowQueries.ts";
import type { PricedTrade } from "../pricedTradeQueries.ts";
import { findAccountId, findAddresses } from "../stateQueries.ts";
import type { Place } from "../tradePageQueries.ts";
import { type Engine, findTradeBlock, listCandles, listTrades, removeCopies } from "./engineQueries.ts";
import type { EngineRow, Table } from "./table.ts";
import { accountSources, candlesTable, tradesTable, unknownAmount } from "./tables.ts";

/** Which old trades of a token a page has. */
export type OldTradeQuery = {
  /** Null: from the newest old trade. */
  before: Place | null;
  isBuy: boolean | null;
  /** Lower-case addresses; null for all. */
  maker: string | null;
  account: string | null;
  limit: number;
};

/** The rows that PostgreSQL may lack, newest first. Throws SlipwayError `history_unavailable`. */
export type OldHistory = {
  listTrades(db: Queryable, old: OldRows, query: OldTradeQuery): Promise<TradeRow[]>;
  listCandles(old: OldRows, query: { seconds: number; before: number; limit: number }): Promise<CandleRow[]>;
  /** Lists the trades of the token before a place, with the prices that candles follow. */
  listPricedTrades(old: OldRows, query: { before: Place | null; limit: number }): Promise<PricedTrade[]>;
  /** Finds the place of a trade of the token; null if it has no such trade. */
  findPlace(old: OldRows, hash: string, logIndex: number): Promise<Place | null>;
};

/** The engine returned rows that the query does not select. */
class InvalidRows extends Error {}

/**
 * Creates the reader of old rows. It checks that the engine's rows are of the token, in range, in order, and accounts of
 * the index; it cannot check that none is missing or altered, which `npm run history:check` does.
 */
export function createOldHistory(options: {
  clickHouse: ClickHouse;
  log: Logger;
  metrics: Pick<Metrics, "historyReads">;
}): OldHistory {
  const { clickHouse, log, metrics } = options;
  const toEngine = (old: OldRows): Engine => ({ clickHouse, generation: old.generation });

  const run = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      const result = await read();
      metrics.historyReads.inc({ outcome: "answered" });
      return result;
    } catch (error) {
      metrics.historyReads.inc({ outcome: error instanceof InvalidRows ? "invalid" : "failed" });
      log.warn({ reason: (error as Error).message }, "history engine read failed");
      throw new SlipwayError("history_unavailable");
    }
  };

  /** Reads the engine's rows of trades, and checks them. */
  const readTrades = async (
    old: OldRows,
    page: { before: Place | null; limit: number },
    filter: TradeFilter,
  ): Promise<EngineRow[]> => {
    const start = toStart(old, page.before);
    const found = await readDistinct(tradesTable, page.limit, async (last, limit) => {
      const before = last === null ? start : { block: last.block_number as number, logIndex: last.log_index as number };
      return await listTrades(toEngine(old), { tokenId: old.tokenId, ...filter, before, limit });
    });
    checkTrades(found, old, start, filter);
    return found;
  };

  return {
    listTrades: async (db, old, query) => {
      const makerId = query.maker === null ? null : await findAccountId(db, query.maker);
      const accountId = query.account === null ? null : await findAccountId(db, query.account);
      const isUnknown = (address: string | null, id: number | null) => address !== null && id === null;
      if (isUnknown(query.maker, makerId) || isUnknown(query.account, accountId)) return [];
      const rows = await run(async () => await readTrades(old, query, { isBuy: query.isBuy, makerId, accountId }));
      const ids = rows.flatMap((row) => [row.maker_id, row.recipient_id, row.account_id] as number[]);
      const addresses = await findAddresses(db, [...new Set(ids)]);
      return await run(async () => rows.map((row) => toTradeRow(row, addresses)));
    },

    listPricedTrades: async (old, page) =>
      await run(async () => {
        const rows = await readTrades(old, page, { isBuy: null, makerId: null, accountId: null });
        return rows.map(toPricedTrade);
      }),

    listCandles: async (old, { seconds, before, limit }) =>
      await run(async () => {
        const end = Math.min(before, old.time + 1);
        const rows = await readDistinct(candlesTable, limit, async (last, count) => {
          const query = {
            tokenId: old.tokenId,
            seconds,
            before: last === null ? end : (last.t as number),
            limit: count,
          };
          return await listCandles(toEngine(old), query);
        });
        checkCandles(rows, old, seconds, end);
        return rows.map(toCandleRow);
      }),

    findPlace: async (old, hash, logIndex) =>
      await run(async () => {
        const block = await findTradeBlock(toEngine(old), { tokenId: old.tokenId, hash, logIndex });
        if (block === null) return null;
        if (block > old.block) throw new InvalidRows("a trade is newer than the engine's data");
        return { block_number: block, log_index: logIndex };
      }),
  };
}

/** The first place that is not in the page. */
function toStart(old: OldRows, before: Place | null): { block: number; logIndex: number } {
  if (before === null || before.block_number > old.block) return { block: old.block + 1, logIndex: 0 };
  return { block: before.block_number, logIndex: before.log_index };
}

/** Reads until the limit is reached without copies of rows, which are rare. */
async function readDistinct(
  table: Table,
  limit: number,
  read: (last: EngineRow | null, limit: number) => Promise<EngineRow[]>,
): Promise<EngineRow[]> {
  const found: EngineRow[] = [];
  while (found.length < limit) {
    const count = limit - found.length;
    const rows = await read(found.at(-1) ?? null, count);
    if (rows.length > count) throw new InvalidRows("there are more rows than requested");
    found.push(...removeCopies(table, rows));
    if (rows.length < count) break;
  }
  return found;
}

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new InvalidRows(message);
}

type TradeFilter = { isBuy: boolean | null; makerId: number | null; accountId: number | null };

function checkTrades(
  rows: readonly EngineRow[],
  { tokenId }: OldRows,
  start: { block: number; logIndex: number },
  filter: TradeFilter,
): void {
  let { block, logIndex } = start;
  for (const row of rows) {
    const [nextBlock, nextLog] = [row.block_number as number, row.log_index as number];
    check(row.token_id === tokenId, "a trade is of another token");
    check(nextBlock < block || (nextBlock === block && nextLog < logIndex), "trades are not in descending order");
    check(filter.isBuy === null || row.is_buy === Number(filter.isBuy), "a trade has the other side");
    check(filter.makerId === null || row.maker_id === filter.makerId, "a trade has another maker");
    check(filter.accountId === null || row.account_id === filter.accountId, "a trade has another account");
    check((row.account_source as number) < accountSources.length, "an account has no known source");
    [block, logIndex] = [nextBlock, nextLog];
  }
}

function checkCandles(rows: readonly EngineRow[], { tokenId }: OldRows, seconds: number, end: number): void {
  let before = end;
  for (const row of rows) {
    const t = row.t as number;
    check(row.token_id === tokenId && row.seconds === seconds, "a candle is of another series");
    check(t < before && t % seconds === 0, "candles are not in descending order");
    before = t;
  }
}

function toTradeRow(row: EngineRow, addresses: ReadonlyMap<number, string>): TradeRow {
  const find = (id: number) => {
    const address = addresses.get(id);
    if (address === undefined) throw new InvalidRows("a trade has an unknown account");
    return address;
  };
  const accountId = row.account_id as number;
  return {
    tx_hash: row.tx_hash as string,
    log_index: row.log_index as number,
    block_number: row.block_number as number,
    block_time: row.block_time as number,
    is_buy: row.is_buy === 1,
    maker: find(row.maker_id as number),
    recipient: find(row.recipient_id as number),
    account: find(accountId === 0 ? (row.maker_id as number) : accountId),
    account_source: accountSources[row.account_source as number] ?? "sender",
    token_amount: row.token_amount as string,
    quote_amount: row.quote_amount as string,
    eth_usd: row.eth_usd as number | null,
  };
}

function toPricedTrade(row: EngineRow): PricedTrade {
  const accountId = row.account_id as number;
  return {
    block_number: row.block_number as number,
    log_index: row.log_index as number,
    block_time: row.block_time as number,
    pool_price: row.pool_price as number,
    eth_usd: row.eth_usd as number | null,
    is_buy: row.is_buy === 1,
    quote_amount: row.quote_amount as string,
    account_id: accountId === 0 ? (row.maker_id as number) : accountId,
  };
}

function toCandleRow(row: EngineRow): CandleRow {
  const { token_id: _token, seconds: _seconds, version: _version, v, ...prices } = row;
  return { ...prices, v: v === unknownAmount ? null : v } as CandleRow;
}
