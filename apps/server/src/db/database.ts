import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";

// A COUNT or an id fits a double; amounts are numeric and stay strings. Times travel as text of the database's clock.
const int8 = 20;
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format as "text"),
};

export type Client = pg.PoolClient;
/** Anything that can run one query: a pool or a client within a transaction. */
export type Queryable = Pick<pg.Pool, "query">;

/** The pools of a process: `api` may write `app.*`, `indexer` may write `chain.*`, `read` may be a replica. */
export type Database = {
  api: pg.Pool;
  indexer: pg.Pool;
  /** As `indexer`, for commits of many small statements: sent without waiting for each other's answers; no COPY. */
  pipelined: pg.Pool;
  read: pg.Pool;
  /** For LISTEN: whoever listens keeps a connection for good, which must not be one that requests wait for. */
  listening: pg.Pool;
  close(): Promise<void>;
};

/** How long a request waits for a connection before it is told that the storage is unavailable. */
const acquireTimeoutMs = 900;

/**
 * Disk pages that a read asks for at once, where PostgreSQL reads ahead: bitmap scans. Its own default of 16 keeps a disk
 * less busy. `?options=-c effective_io_concurrency=n` in the URL chooses another.
 */
const readAhead = "-c effective_io_concurrency=100";

/**
 * Plans that look rows up by their keys. Prepared statements keep the plan that they got when the tables were new, until
 * these are analyzed the next time: reading small tables whole is best then, and takes a second when they have grown.
 */
const byKey = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

/** Of a process: the read model and the live feed. */
const listeners = 2;

/** Opens the pools. No connection is made before the first query. */
export function openDatabase(config: Config, log: Logger): Database {
  const pools: pg.Pool[] = [];
  const open = (
    name: string,
    connectionString: string,
    max: number,
    statementTimeoutMs: number,
    own: pg.PoolConfig = {},
  ) => {
    const pool = new pg.Pool({
      connectionString,
      max,
      types,
      application_name: `slipway-${name}`,
      connectionTimeoutMillis: acquireTimeoutMs,
      statement_timeout: statementTimeoutMs,
      keepAlive: true,
      ...own,
    });
    // An idle connection that the server ends must not end this process; the pool replaces it.
    pool.on("error", (error) => log.warn({ err: error, pool: name }, "idle database connection lost"));
    // Neither must one that is in use: its query fails, which is enough.
    pool.on("connect", (client) => client.on("error", () => undefined));
    pools.push(pool);
    return pool;
  };
  const apiUrl = config.DATABASE_API_URL ?? config.DATABASE_URL;
  const indexerUrl = config.DATABASE_INDEXER_URL ?? config.DATABASE_URL;
  return {
    api: open("api", apiUrl, config.DATABASE_POOL_SIZE, 5_000),
    indexer: open("indexer", indexerUrl, 4, 120_000),
    pipelined: open("indexer", indexerUrl, 1, 120_000, { pipeline: true, options: byKey }),
    read: open("read", config.DATABASE_READ_URL ?? apiUrl, config.DATABASE_POOL_SIZE, 5_000, { options: readAhead }),
    listening: open("listening", apiUrl, listeners, 5_000),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** What passes by itself: PostgreSQL's connection, resource and rollback failures by SQLSTATE, node-postgres's by text. */
export function isStorageFailure(error: Error & { code?: string }): boolean {
  if (/^(08|40|53|57|25006|58)/.test(error.code ?? "") && /^[0-9A-Z]{5}$/.test(error.code ?? "")) return true;
  if (["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")) return true;
  return /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|after calling end on the pool/.test(
    error.message,
  );
}
