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
  /** For batches near the head, whose time is mostly that of round trips. */
  pipelined: pg.Pool;
  rpc: RpcPool;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** The contract events that are indexed. */
  events: EventCatalog;
  checks: LogChecks;
  accountIds: AccountIds;
  fencingToken: number;
  reorgWindowSeconds: number;
  signal: AbortSignal;
  /** The committed index, in memory. Replaced as a whole when a commit fails or blocks are undone. */
  state: IndexState;
  checkpoint: Checkpoint;
  /** When heads of two endpoints were last compared, in milliseconds; 0 before. */
  headsComparedAt: number;
};
