import { bucketStart } from "@slipway/protocol/candle";
import type { PreLaunchState } from "../fetch/fetchPreLaunchStates.ts";
import { clearBatchState, type TokenRef, type IndexState } from "../indexState.ts";
import type {
  CandleRow,
  EthUsdRow,
  FeeEventRow,
  PayeeRow,
  SplitterEventRow,
  SplitterRow,
  TokenRow,
  TopupRow,
  TotalsRow,
  TradeRow,
  TreasuryChangeRow,
} from "./rows.ts";

/** Where the log that is being reduced stands. */
export type Position = { blockNumber: number; blockTime: number; logIndex: number; txHash: string };

/** What a range of blocks does to the index, collected in memory before anything is written. */
export type Batch = {
  id: number;
  state: IndexState;
  at: Position;
  /** Senders of the transactions with trades, lower case. */
  senders: ReadonlyMap<string, string>;
  /** Of pools that are older than their launches. */
  preLaunchStates: ReadonlyMap<string, PreLaunchState>;
  touched: Set<TokenRef>;
  launches: TokenRow[];
  trades: TradeRow[];
  candles: CandleRow[];
  totals: Map<number, TotalsRow>;
  feeEvents: FeeEventRow[];
  splitters: SplitterRow[];
  payees: PayeeRow[];
  splitterEvents: SplitterEventRow[];
  treasuryChanges: TreasuryChangeRow[];
  topups: TopupRow[];
  /** The last observation of each block: nothing between two logs of one block is asked for later. */
  ethUsd: Map<number, EthUsdRow>;
  events: number;
};

export function createBatch(id: number, state: IndexState): Batch {
  return {
    id,
    state,
    at: { blockNumber: 0, blockTime: 0, logIndex: 0, txHash: "" },
    senders: new Map(),
    preLaunchStates: new Map(),
    touched: new Set(),
    launches: [],
    trades: [],
    candles: [],
    totals: new Map(),
    feeEvents: [],
    splitters: [],
    payees: [],
    splitterEvents: [],
    treasuryChanges: [],
    topups: [],
    ethUsd: new Map(),
    events: 0,
  };
}

function emptyTotals(seconds: number, t: number): TotalsRow {
  return {
    seconds,
    t,
    launches: 0,
    trades: 0,
    volume_quote: 0n,
    volume_usd: 0n,
    fees_usd: 0n,
    fees_protocol_usd: 0n,
    fees_collaborators_usd: 0n,
  };
}

/** The sums of the minute that the current position lies in. */
export function getMinuteTotals(batch: Batch): TotalsRow {
  const t = bucketStart(batch.at.blockTime, 60);
  let minute = batch.totals.get(t);
  if (!minute) {
    minute = emptyTotals(60, t);
    batch.totals.set(t, minute);
  }
  return minute;
}

/** What the batch adds to the sums of all time. */
export function sumTotals(batch: Batch): TotalsRow {
  const sums = emptyTotals(0, 0);
  for (const minute of batch.totals.values()) {
    sums.launches += minute.launches;
    sums.trades += minute.trades;
    sums.volume_quote += minute.volume_quote;
    sums.volume_usd = addKnown(sums.volume_usd, minute.volume_usd);
    sums.fees_usd = addKnown(sums.fees_usd, minute.fees_usd);
    sums.fees_protocol_usd = addKnown(sums.fees_protocol_usd, minute.fees_protocol_usd);
    sums.fees_collaborators_usd = addKnown(sums.fees_collaborators_usd, minute.fees_collaborators_usd);
  }
  return sums;
}

/** Notes that a token changed in this batch, and empties what it kept of an earlier one. */
export function touch(batch: Batch, token: TokenRef): void {
  if (token.batchId !== batch.id) {
    token.batchId = batch.id;
    clearBatchState(token);
    batch.touched.add(token);
  }
  token.changedBlock = batch.at.blockNumber;
  token.changedTime = batch.at.blockTime;
}

/** Adds two amounts of which either may be unknown. */
export function addKnown(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}
