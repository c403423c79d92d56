import type { Queryable } from "../../db/database.ts";
import {
  type CandleTimes,
  type CopiedCandle,
  type CopiedTrade,
  listCandleTokens,
  listRangeCandles,
  listRangeTrades,
  moveWatermark,
  type TradeKey,
} from "../stateQueries.ts";
import { type Engine, insertRows, type Range, readDigests } from "./engineQueries.ts";
import { addToDigest, type Digest, type EngineRow, hashRow, type Table } from "./table.ts";
import { accountSources, candlesTable, tradesTable, unknownAmount } from "./tables.ts";

/** Rows of one insert: few parts of the engine's tables, and 3 MB of memory. */
const batchRows = 20_000;
/** Tokens whose candles are read together. */
const batchTokens = 50;

/** PostgreSQL and the engine differ after a copy. */
export class CopyDiffers extends Error {
  override name = "CopyDiffers";
}

/** A range in PostgreSQL, with the digests of its rows by token. */
export type StoredRange = { range: Range; trades: Map<number, Digest>; candles: Map<number, Digest> };

/** Receives the rows of a range in batches. */
type OnRows = (table: Table, rows: EngineRow[]) => Promise<void>;

/**
 * Reads the trades of blocks and the candles that end by their last trade, and computes their digests.
 *
 * @param start - The end of the previous range.
 */
export async function readStoredRange(
  db: Queryable,
  start: { block: number; time: number },
  toBlock: number,
  onRows: OnRows,
): Promise<StoredRange> {
  const blocks = { afterBlock: start.block, toBlock };
  const trades = new Map<number, Digest>();
  let [first, newest] = [Number.POSITIVE_INFINITY, 0];
  let last: TradeKey | null = null;
  for (;;) {
    const page: CopiedTrade[] = await listRangeTrades(db, blocks, last, batchRows);
    const rows = page.map(toTradeRow);
    for (const row of rows) {
      addToDigest(trades, row.token_id as number, hashRow(tradesTable, row));
      first = Math.min(first, row.block_time as number);
      newest = Math.max(newest, row.block_time as number);
    }
    if (rows.length > 0) await onRows(tradesTable, rows);
    if (page.length < batchRows) break;
    last = page.at(-1)!;
  }
  // Later trades are not before the last one, so a candle that ended by then is complete.
  const toTime = Math.max(start.time, newest);
  const times = trades.size === 0 ? null : { first, last: newest };
  const candleTimes = { afterTime: start.time, toTime };
  const candles = await readStoredCandles(db, candleTimes, onRows);
  return { range: { ...blocks, times, ...candleTimes }, trades, candles };
}

async function readStoredCandles(db: Queryable, times: CandleTimes, onRows: OnRows): Promise<Map<number, Digest>> {
  const digests = new Map<number, Digest>();
  if (times.toTime === times.afterTime) return digests;
  const tokens = await listCandleTokens(db, times);
  for (let first = 0; first < tokens.length; first += batchTokens) {
    const page = await listRangeCandles(db, times, tokens.slice(first, first + batchTokens));
    const rows = page.map(toCandleRow);
    for (const row of rows) addToDigest(digests, row.token_id as number, hashRow(candlesTable, row));
    for (let from = 0; from < rows.length; from += batchRows) {
      await onRows(candlesTable, rows.slice(from, from + batchRows));
    }
  }
  return digests;
}

/** Converts a trade to the engine's row, without a version. */
export function toTradeRow(trade: CopiedTrade): EngineRow {
  const source = accountSources.indexOf(trade.account_source as (typeof accountSources)[number]);
  if (source === -1) throw new RangeError("a trade has an unknown source of its account");
  return {
    ...trade,
    account_id: trade.account_id ?? 0,
    account_source: source,
    is_buy: trade.is_buy ? 1 : 0,
  };
}

/** Converts a candle to the engine's row, without a version. */
export function toCandleRow(candle: CopiedCandle): EngineRow {
  return { ...candle, v: candle.v ?? unknownAmount };
}

/** Returns the tokens whose rows differ, ascending. */
export function findDifferences(stored: ReadonlyMap<number, Digest>, copied: ReadonlyMap<number, Digest>): number[] {
  const isEqual = (id: number) => {
    const [a, b] = [stored.get(id), copied.get(id)];
    return a !== undefined && b !== undefined && a.rows === b.rows && a.hash === b.hash;
  };
  return [...new Set([...stored.keys(), ...copied.keys()])].filter((id) => !isEqual(id)).sort((a, b) => a - b);
}

/** Adds up the digests of tokens. */
export function sumDigests(digests: ReadonlyMap<number, Digest>): Digest {
  const all = [...digests.values()];
  const hash = all.reduce((sum, digest) => sum + digest.hash, 0n) & (2n ** 64n - 1n);
  return { rows: all.reduce((sum, digest) => sum + digest.rows, 0), hash };
}

/**
 * Copies a range of final blocks to the engine, compares count and hash by token, and then moves the watermark.
 *
 * After an interruption at any point, the range is copied again from its start: rows with the same key replace each
 * other in the engine, and no reader uses a range before the watermark has moved.
 *
 * @param version - Unix seconds; higher than in every earlier copy of a row, so that this copy replaces it.
 * @returns The copied range; `empty` if it has no rows, and then the watermark stays; `moved` when another process has
 *   copied it, or the index was rebuilt.
 * @throws CopyDiffers; ClickHouseError
 */
export async function copyRange(
  db: Queryable,
  engine: Engine,
  options: { start: { block: number; time: number }; toBlock: number; version: number; signal: AbortSignal },
): Promise<StoredRange | "empty" | "moved"> {
  const { start, toBlock, version, signal } = options;
  const stored = await readStoredRange(db, start, toBlock, async (table, rows) => {
    signal.throwIfAborted();
    const versioned = rows.map((row) => ({ ...row, version }));
    await insertRows(engine, table, versioned, signal);
  });
  const { range } = stored;
  if (range.times === null) return "empty";
  const differing = {
    trades: findDifferences(stored.trades, await readDigests(engine, tradesTable, range)),
    candles: findDifferences(stored.candles, await readDigests(engine, candlesTable, range)),
  };
  const count = differing.trades.length + differing.candles.length;
  if (count > 0) {
    const ids = [...new Set([...differing.trades, ...differing.candles])].slice(0, 5).join(", ");
    throw new CopyDiffers(
      `blocks ${start.block + 1} to ${toBlock} differ in the engine: ${count} series, of tokens ${ids}`,
    );
  }
  signal.throwIfAborted();
  const [trades, candles] = [sumDigests(stored.trades), sumDigests(stored.candles)];
  const isMoved = await moveWatermark(db, engine.generation, {
    afterBlock: start.block,
    toBlock,
    afterTime: start.time,
    toTime: range.toTime,
    firstTime: range.times.first,
    lastTime: range.times.last,
    trades: trades.rows,
    tradesHash: trades.hash.toString(),
    candles: candles.rows,
    candlesHash: candles.hash.toString(),
  });
  return isMoved ? stored : "moved";
}
