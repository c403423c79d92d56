import { bucketStart } from "@slipway/protocol/candle";
import type { RawLog } from "@slipway/protocol/rawLog";
import type { OperationMark } from "@slipway/protocol/userOperationLog";
import type { EventTable } from "../events/eventTable.ts";
import type { PreLaunchState } from "../fetch/fetchPreLaunchStates.ts";
import { clearBatchState, type IndexState, type OpenCandle, type TokenRef } from "../indexState.ts";
import type { TradeAccount } from "./findTradeAccounts.ts";

/** Position of the current log. */
export type Position = { blockNumber: number; blockTime: number; logIndex: number; txIndex: number; txHash: string };

/** Length of a day in seconds. Days are in UTC. */
export const daySeconds = 86_400;

/**
 * Sums over all tokens of one minute, of one day, or of all time (seconds 0, t 0). Fields are named like chain.totals'
 * columns.
 */
export type Totals = {
  seconds: number;
  t: number;
  /** The block of the first event; null for days and for all time. */
  first_block: number | null;
  launches: number;
  trades: number;
  volume_quote: bigint;
  volume_usd: bigint | null;
  fees_usd: bigint | null;
  fees_protocol_usd: bigint | null;
  fees_collaborators_usd: bigint | null;
};

/** The changes of the index by a range of blocks, collected in memory before the commit. */
export type Batch = {
  id: number;
  state: IndexState;
  at: Position;
  /** Senders of the transactions with trades, mints or burns, lower case. */
  senders: ReadonlyMap<string, string>;
  /** Marks of EntryPoints in these transactions, in chain order. */
  operations: ReadonlyMap<string, readonly OperationMark[]>;
  /** Accounts of the trades of the current range, by Swap log. */
  tradeAccounts: ReadonlyMap<RawLog, TradeAccount>;
  /** Pre-launch states by pool. */
  preLaunchStates: ReadonlyMap<string, PreLaunchState>;
  touched: Set<TokenRef>;
  /** Rows to append, by table. Read and written with `getRows`. */
  rows: ReadonlyMap<EventTable, object[]>;
  candles: OpenCandle[];
  /** Totals by the start of their minute. */
  totals: Map<number, Totals>;
  /** Number of applied logs. */
  events: number;
};

/** @param tables - All tables to which events append rows, in the order in which the commit writes them. */
export function createBatch(id: number, state: IndexState, tables: readonly EventTable[]): Batch {
  return {
    id,
    state,
    at: { blockNumber: 0, blockTime: 0, logIndex: 0, txIndex: 0, txHash: "" },
    senders: new Map(),
    operations: new Map(),
    tradeAccounts: new Map(),
    preLaunchStates: new Map(),
    touched: new Set(),
    rows: new Map(tables.map((table) => [table, []])),
    candles: [],
    totals: new Map(),
    events: 0,
  };
}

/** Returns the batch's mutable rows of a table. @throws Error for a table that no event lists. */
export function getRows<Row extends object>(batch: Batch, table: EventTable<Row>): Row[] {
  const rows = batch.rows.get(table as EventTable);
  if (rows === undefined) throw new Error(`no event lists the table ${table.name}`);
  return rows as Row[];
}

/** Returns the ETH/USD price of the block of the current log; null when unknown. */
export function getEthUsd({ at, state }: Batch): number | null {
  return state.ethUsd.getPrice(at.blockNumber, at.blockTime);
}

function emptyTotals(seconds: number, t: number, firstBlock: number | null): Totals {
  return {
    seconds,
    t,
    first_block: firstBlock,
    launches: 0,
    trades: 0,
    volume_quote: 0n,
    volume_usd: 0n,
    fees_usd: 0n,
    fees_protocol_usd: 0n,
    fees_collaborators_usd: 0n,
  };
}

/** Returns the totals of the minute of the current log. */
export function getMinuteTotals(batch: Batch): Totals {
  const t = bucketStart(batch.at.blockTime, 60);
  let minute = batch.totals.get(t);
  if (!minute) {
    minute = emptyTotals(60, t, batch.at.blockNumber);
    batch.totals.set(t, minute);
  }
  // Launches of a range are applied first, and other events of the minute can be in earlier blocks.
  minute.first_block = Math.min(minute.first_block!, batch.at.blockNumber);
  return minute;
}

/** Sums the batch's minutes. The result is the batch's addition to the totals of all time. */
export function sumTotals(batch: Batch): Totals {
  const sums = emptyTotals(0, 0, null);
  for (const minute of batch.totals.values()) addMinute(sums, minute);
  return sums;
}

/** Sums the batch's minutes by day. */
export function sumDays(batch: Batch): Totals[] {
  const days = new Map<number, Totals>();
  for (const minute of batch.totals.values()) {
    const t = bucketStart(minute.t, daySeconds);
    let day = days.get(t);
    if (day === undefined) {
      day = emptyTotals(daySeconds, t, null);
      days.set(t, day);
    }
    addMinute(day, minute);
  }
  return [...days.values()];
}

function addMinute(sums: Totals, minute: Totals): void {
  sums.launches += minute.launches;
  sums.trades += minute.trades;
  sums.volume_quote += minute.volume_quote;
  sums.volume_usd = addKnown(sums.volume_usd, minute.volume_usd);
  sums.fees_usd = addKnown(sums.fees_usd, minute.fees_usd);
  sums.fees_protocol_usd = addKnown(sums.fees_protocol_usd, minute.fees_protocol_usd);
  sums.fees_collaborators_usd = addKnown(sums.fees_collaborators_usd, minute.fees_collaborators_usd);
}

/** Marks a token as changed by this batch. Clears the token's data of an earlier batch. */
export function touch(batch: Batch, token: TokenRef): void {
  if (token.batchId !== batch.id) {
    token.batchId = batch.id;
    clearBatchState(token);
    batch.touched.add(token);
  }
  token.changedBlock = batch.at.blockNumber;
  token.changedTime = batch.at.blockTime;
}

/** Adds two amounts; null (unknown) if one is unknown. */
export function addKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}
