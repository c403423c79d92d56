import type { Logger } from "pino";
import type { Chain } from "./chain/chain.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Ids } from "./ids.ts";
import type { Metrics } from "./metrics.ts";
import type { Observer } from "./observer/createObserver.ts";

/** The external dependencies of a process: settings, log, time, randomness, database, chain, metrics. */
export type Runtime = {
  config: Config;
  log: Logger;
  clock: Clock;
  ids: Ids;
  db: Database;
  chain: Chain;
  metrics: Metrics;
  /** Measures requests, jobs, statements and RPC calls; undefined while nothing is measured. */
  observer?: Observer | undefined;
};
