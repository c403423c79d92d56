import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { maxWaitingPerConnection, NoFreeConnection, RequestPool } from "./requestPool.ts";
import { createKeyedMutex, type RunExclusive, startRunningTime } from "./requestQueue.ts";

// Counts and ids fit a double; amounts are numeric and stay strings.
const int8 = 20;
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format as "text"),
};

export type Client = pg.PoolClient;
/** A pool, or a client within a transaction. */
export type Queryable = Pick<pg.Pool, "query">;

/** The pools of a process. `api` writes `app.*`, `indexer` writes `chain.*`, `read` may connect to a replica. */
export type Database = {
  api: pg.Pool;
  indexer: pg.Pool;
  /** The `indexer` pool with pipelining, for commits of many small statements. Does not support COPY. */
  pipelined: pg.Pool;
  read: pg.Pool;
  /** For LISTEN. Separate from the pools of requests, because a listener keeps its connection permanently. */
  listening: pg.Pool;
  /** Whether requests arrive faster than the database serves them, so that a new request should be rejected. */
  isOverloaded(): boolean;
  /** Runs the transactions of a key, which lock the same row, one after the other in this process. */
  runExclusive: RunExclusive;
  close(): Promise<void>;
};

/** Timeout for opening a connection. Long, because a busy machine starts the database's process late. */
const connectTimeoutMs = 10_000;

/**
 * Timeout of a request for the answer to a statement. PostgreSQL's own timeout is shorter, so this timeout applies only
 * when PostgreSQL or the network hangs.
 */
const answerTimeoutMs = 15_000;

/**
 * Number of pages that a bitmap scan prefetches; PostgreSQL's default is 16. `?options=-c effective_io_concurrency=n`
 * in the URL overrides the setting.
 */
const readAhead = "-c effective_io_concurrency=100";

/**
 * Forces plans with key lookups. Prepared statements keep their plan until the next analyze of their tables. A plan for
 * a small table is a sequential scan, which takes a second after the table has grown.
 */
const keyLookupPlans = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

/** Listeners of a process: the read model, the live feed, the risk stream and the revalidation of credentials. */
const maxListeners = 4;

/** Opens the pools. No connection is made before the first query. */
export function openDatabase(config: Config, log: Logger): Database {
  const pools: pg.Pool[] = [];
  const watch = <P extends pg.Pool>(name: string, pool: P): P => {
    // Without a listener, a closed idle connection would end the process. The pool replaces the connection.
    pool.on("error", (error) => log.warn({ err: error, pool: name }, "idle database connection closed"));
    // A connection in use also emits an error. Its query fails, and the caller handles that failure.
    pool.on("connect", (client) => client.on("error", () => undefined));
    pools.push(pool);
    return pool;
  };
  const toConfig = (name: string, connectionString: string, max: number, statementTimeoutMs: number) => ({
    connectionString,
    max,
    types,
    application_name: `slipway-${name}`,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
  });
  const open = (...[name, url, max, timeoutMs, own]: [...Parameters<typeof toConfig>, pg.PoolConfig?]) =>
    watch(name, new pg.Pool({ ...toConfig(name, url, max, timeoutMs), ...own }));

  const runningTime = startRunningTime(() => {
    for (const pool of [api, read]) pool.refuseHopeless();
  });
  const size = config.DATABASE_POOL_SIZE;
  const waiting = { nowMs: runningTime.nowMs, maxWaitMs: config.MAX_DATABASE_WAIT_MS };
  const openForRequests = (name: string, url: string, own: pg.PoolConfig = {}) => {
    const settings = { ...toConfig(name, url, size, 5_000), query_timeout: answerTimeoutMs, ...own, ...waiting };
    return watch(name, new RequestPool(settings));
  };

  const apiUrl = config.DATABASE_API_URL ?? config.DATABASE_URL;
  const indexerUrl = config.DATABASE_INDEXER_URL ?? config.DATABASE_URL;
  const api = openForRequests("api", apiUrl);
  const read = openForRequests("read", config.DATABASE_READ_URL ?? apiUrl, { options: readAhead });
  return {
    api,
    indexer: open("indexer", indexerUrl, 4, 120_000),
    pipelined: open("indexer", indexerUrl, 1, 120_000, { pipeline: true, options: keyLookupPlans }),
    read,
    listening: open("listening", apiUrl, maxListeners, 5_000),
    isOverloaded: () => api.isOverloaded() || read.isOverloaded(),
    runExclusive: createKeyedMutex({ ...waiting, maxLength: size * maxWaitingPerConnection }),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      runningTime.stop();
    },
  };
}

/** Whether an error is temporary: connection, resource and rollback failures, by SQLSTATE or node-postgres's message. */
export function isStorageFailure(error: Error & { code?: string }): boolean {
  if (error instanceof NoFreeConnection) return true;
  if (/^(08|40|53|57|25006|58)/.test(error.code ?? "") && /^[0-9A-Z]{5}$/.test(error.code ?? "")) return true;
  if (["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")) return true;
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error and is not queryable|after calling end on the pool/.test(
    error.message,
  );
}
