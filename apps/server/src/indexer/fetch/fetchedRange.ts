import type { RawLog } from "@slipway/protocol/rawLog";
import type { OperationMark } from "@slipway/protocol/userOperationLog";
import type { Logger } from "pino";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import type { PayeeRow, SplitterEventRow, SplitterRow } from "../events/splitterEvents.ts";
import type { IndexState } from "../indexState.ts";
import type { FactoryEvent } from "./factoryEvents.ts";
import type { PreLaunchState } from "./fetchPreLaunchStates.ts";
import type { Header } from "./headers.ts";
import type { LogChecks } from "./logChecks.ts";

/** Dependencies of the fetching functions; an IndexerContext satisfies them. */
export type FetchContext = {
  rpc: RpcPool;
  state: IndexState;
  events: { topics: readonly string[] };
  signal?: AbortSignal;
};

/** Additional dependencies for fetching final blocks. */
export type FinalRangeContext = FetchContext & {
  events: Pick<EventCatalog, "topics" | "byTopic">;
  checks: LogChecks;
  log: Logger;
};

/** A splitter with the proof by its deployment, and its events before the launch that names it. */
export type SplitterDeployment = { splitter: SplitterRow; payees: PayeeRow[]; events: SplitterEventRow[] };

/** The data of a range of blocks that reducing needs. Logs are checked, in chain order, without duplicates. */
export type FetchedRange = {
  from: number;
  to: number;
  /** The last block. */
  end: { hash: string; time: number };
  /** All headers, for a range within the reorg window; null in a backfill of final blocks. */
  headers: Header[] | null;
  logs: RawLog[];
  /** Unix seconds, by block number. */
  times: Map<number, number>;
  /** Senders of the transactions with trades, mints or burns, lower case. */
  senders: Map<string, string>;
  /**
   * Marks of EntryPoints in transactions with trades, by hash, in chain order. Ranges that were fetched by eth_getLogs
   * have only transactions with an operation that can determine an account (fetch/fetchOperations.ts).
   */
  operations: ReadonlyMap<string, readonly OperationMark[]>;
  /** Splitters that launches of the range name for the first time. */
  splitterDeployments: SplitterDeployment[];
  /** Pre-launch states by pool, for launches of the range. */
  preLaunchStates: ReadonlyMap<string, PreLaunchState>;
  /**
   * The host of the only endpoint that returned the logs; near the head possibly several hosts, comma-separated, that
   * returned different blocks. Null when another endpoint confirms the logs or no later check is possible.
   */
  unconfirmedBy: string | null;
  /** The factories' events of final blocks that were read block by block because logs were missing; otherwise null. */
  foundFactoryEvents: readonly FactoryEvent[] | null;
};
