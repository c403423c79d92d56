import type pg from "pg";
import type { Logger } from "pino";
import type { RpcPool } from "../chain/rpcPool.ts";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import type { AccountIds } from "./store/accountIds.ts";
import type { Checkpoint } from "./store/checkpoint.ts";
import type { IndexState } from "./indexState.ts";

/** What the leading indexer works with and where it stands. */
export type IndexerContext = {
  pool: pg.Pool;
  /** For batches near the head, whose time is mostly that of round trips. */
  pipelined: pg.Pool;
  rpc: RpcPool;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  accountIds: AccountIds;
  fencingToken: number;
  reorgWindowSeconds: number;
  signal: AbortSignal;
  /** The committed index, in memory. Replaced as a whole when a commit fails or blocks are undone. */
  state: IndexState;
  checkpoint: Checkpoint;
};
