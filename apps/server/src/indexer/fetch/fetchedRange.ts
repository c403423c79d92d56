import type { RawLog } from "@slipway/protocol/rawLog";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { PayeeRow, SplitterEventRow, SplitterRow } from "../events/splitterEvents.ts";
import type { IndexState } from "../indexState.ts";
import type { PreLaunchState } from "./fetchLaunches.ts";
import type { Header } from "./headers.ts";

/** What the fetching functions work with; an IndexerContext is one. */
export type FetchContext = {
  rpc: RpcPool;
  state: IndexState;
  events: { topics: readonly string[] };
  signal?: AbortSignal;
};

/** A splitter as its deployment proves it, and its events before the launch that names it. */
export type SplitterDeployment = { splitter: SplitterRow; payees: PayeeRow[]; events: SplitterEventRow[] };

/** Everything of a range of blocks that reducing needs. Logs are checked, in chain order, without duplicates. */
export type FetchedRange = {
  from: number;
  to: number;
  /** The last block. */
  end: { hash: string; time: number };
  /** Every header, within the reorg window; null in a backfill of final blocks. */
  headers: Header[] | null;
  logs: RawLog[];
  /** Unix seconds, by block number. */
  times: Map<number, number>;
  /** Senders of the transactions with trades, lower case. */
  senders: Map<string, string>;
  /** Of splitters that launches of the range name for the first time. */
  splitterDeployments: SplitterDeployment[];
  /** Of launches of the range whose pool is older, by pool. */
  preLaunchStates: ReadonlyMap<string, PreLaunchState>;
};
