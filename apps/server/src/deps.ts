import type { Logger } from "pino";
import type { Chain } from "./chain/chain.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Metrics } from "./metrics.ts";

/** The only source of time. Injected, so that a simulation can step it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `milliseconds`, or rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
};

/** The only source of ids and randomness. */
export type Ids = {
  /** A UUID version 7: time-ordered, unguessable. */
  uuid(): string;
  bytes(length: number): Uint8Array;
};

/** What every room gets; built once by `main.ts` and passed down, never imported. */
export type Deps = {
  config: Config;
  log: Logger;
  clock: Clock;
  ids: Ids;
  db: Database;
  chain: Chain;
  metrics: Metrics;
};
