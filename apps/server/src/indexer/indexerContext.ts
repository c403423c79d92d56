import type pg from "pg";
import type { Logger } from "pino";
import type { RpcPool } from "../chain/rpcPool.ts";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import type { EventCatalog } from "./events/eventModule.ts";
import type { LogChecks } from "./fetch/logChecks.ts";
import type { IndexState } from "./indexState.ts";
import type { AccountIds } from "./store/accountIds.ts";
import type { Checkpoint } from "./store/checkpoint.ts";

/** The dependencies and the state of the leading indexer. */
export type IndexerContext = {
  pool: pg.Pool;
  /** Pipelined connections for batches near the head, where round trips take most of the time. */
  pipelined: pg.Pool;
  rpc: RpcPool;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** The contract events that are indexed. */
  events: EventCatalog;
  checks: LogChecks;
  /** Whether this is the next index, which is built beside the one that is read (`rebuild/`). Publishes nothing. */
  isCopy: boolean;
  accountIds: AccountIds;
  fencingToken: number;
  reorgWindowSeconds: number;
  signal: AbortSignal;
  /** The index state. Replaced as a whole after a failed commit or an undo. */
  state: IndexState;
  checkpoint: Checkpoint;
  /** Time of the last comparison of two endpoints' heads, in milliseconds; 0 before the first comparison. */
  headsComparedAt: number;
};
