import { hash } from "node:crypto";
import { hostname } from "node:os";
import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { PoolUse } from "../healthMetrics.ts";
import type { Observer } from "../observer/createObserver.ts";
import { createReplicaReads, type ReplicaReads } from "./createReplicaReads.ts";
import { keepScopes, observeStatements } from "./observeStatements.ts";
import { identifyConnection } from "./readServer.ts";
import { repeatDeadlocks } from "./repeatDeadlocks.ts";
import { maxWaitingPerConnection, RequestPool } from "./requestPool.ts";
import { createKeyedMutex, type RunExclusive, startRunningTime } from "./requestQueue.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

// Counts and ids fit a double; amounts are numeric and stay strings.
const int8 = 20;
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === int8 ? (value: string) => Number(value) : pg.types.getTypeParser(oid, format as "text"),
};

export type Client = pg.PoolClient;
/** A pool, or a client within a transaction. */
export type Queryable = Pick<pg.Pool, "query">;

/** The pools of a process. `api` writes `app.*`, `indexer` writes `chain.*`. */
export type Database = {
  api: pg.Pool;
  indexer: pg.Pool;
  /** The `indexer` pool with pipelining, for commits of many small statements. Does not support COPY. */
  pipelined: pg.Pool;
  /** For rows of responses. With a replica, never older than what this process has read before. */
  read: Queryable;
  /** For the newest rows: the primary, or the replica while the primary does not answer. */
  newest: Queryable;
  /**
   * Reads changes as `newest` does. Then every later `read` includes these changes.
   *
   * @param work - Only reads; runs again at the other server if the first fails.
   * @param toChanges - Returns the part of the result that differs when anything has changed; default: the result. If it
   *   equals that of the last call with the same `work`, there is nothing to include.
   */
  readNewest<T>(work: (db: Queryable) => Promise<T>, toChanges?: (result: T) => unknown): Promise<T>;
  /** Null without a replica. */
  replica: Pick<ReplicaReads, "status"> | null;
  /** For LISTEN. Separate from the pools of requests, because a listener keeps its connection permanently. */
  listening: pg.Pool;
  /** Measures the use of each pool. */
  measurePools(): PoolUse[];
  /** Whether requests arrive faster than the database serves them, so that a new request should be rejected. */
  isOverloaded(): boolean;
  /** Runs the transactions of a key, which lock the same row, one after the other in this process. */
  runExclusive: RunExclusive;
  close(): Promise<void>;
};

/**
 * Timeout of a read at a replica for a lock. A long read of another program, such as a backup, delays the replay of changes
 * that need a table alone; all reads of this table wait behind it. After the timeout, the primary answers.
 */
const replicaLocks: SessionSettings = { lock_timeout: 250 };

/** Timeout for opening a connection. Long, because a busy machine starts the database's process late. */
const connectTimeoutMs = 10_000;

/**
 * Timeout of a request for the answer to a statement. PostgreSQL's own timeout is shorter, so this timeout applies only
 * when PostgreSQL or the network hangs.
 */
const answerTimeoutMs = 15_000;

type OnConnect = (client: pg.ClientBase) => Promise<void>;

/** Settings of a session by name. */
type SessionSettings = Record<string, string | number>;

/**
 * Number of pages that a bitmap scan prefetches; PostgreSQL's default is 16. `?options=-c effective_io_concurrency=n`
 * in the URL overrides the setting.
 */
const readAhead: SessionSettings = { effective_io_concurrency: 100 };

/**
 * Plans with key lookups, made once for a prepared statement and kept until the next analyze of its tables. A plan for a
 * small table would be a sequential scan, which takes a second after the table has grown. PostgreSQL would plan some
 * statements at each execution, because it expects fewer rows if it knows the length of an array: 1.8 ms a block.
 */
const keyLookupPlans: SessionSettings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
};

/**
 * Applies settings after the connection is made, because pgbouncer refuses settings in the startup message. A setting
 * that the URL contains keeps the URL's value.
 */
function createOnConnect(connectionString: string, settings: SessionSettings): OnConnect {
  const parameters = [...new URL(connectionString).searchParams].map((parameter) => parameter.join("=")).join(" ");
  const own = Object.entries(settings).filter(([name]) => !parameters.includes(`${name}=`));
  const calls = own.map((_, index) => `set_config($${index * 2 + 1}, $${index * 2 + 2}, false)`);
  return async (client) => {
    if (calls.length > 0) await client.query(`select ${calls.join(", ")}`, own.flat().map(String));
  };
}

/** Thrown for a connection to a replica in place of the primary. */
class NotPrimary extends Error {
  override name = "NotPrimary";
  /** SQLSTATE read_only_sql_transaction. */
  readonly code = "25006";
}

/**
 * Refuses a connection that leads to a replica. A former primary may have commits that the next primary lacks: the repeat
 * of a write would find its row there, and acknowledge what is lost.
 */
const requirePrimary: OnConnect = async (client) => {
  const { rows } = await client.query<{ is_replica: boolean }>("select pg_catalog.pg_is_in_recovery() as is_replica");
  if (rows[0]!.is_replica) throw new NotPrimary("the server of DATABASE_URL is a replica");
};

/**
 * Lets PostgreSQL end the session of a process that it no longer reaches, after 6 to 9 seconds instead of hours: the
 * session may have the lock of the leading indexer, or locks of rows. Seconds, and milliseconds of `tcp_user_timeout`.
 */
const lostClients: SessionSettings = {
  tcp_keepalives_idle: 3,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 6_000,
};

/** Timeout of the checks of the primary and its replica. A server that is slower counts as down. */
const checkTimeoutMs = 1_000;

/** Listeners of a process: the read model, the live feed, the risk stream and the revalidation of credentials. */
const maxListeners = 4;

/** Returns the replicas in an order that differs between processes, so that together they use all replicas. */
function orderReplicas(urls: readonly string[]): string[] {
  const toKey = (url: string) => hash("sha256", `${hostname()} ${process.pid} ${new URL(url).host}`);
  return urls
    .map((url) => ({ url, key: toKey(url) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ url }) => url);
}

/** Returns the configuration of a pool whose sessions have these settings. */
function createPoolConfig(name: string, connectionString: string, max: number, settings: SessionSettings) {
  return {
    connectionString,
    max,
    types,
    application_name: `slipway-${name}`,
    connectionTimeoutMillis: connectTimeoutMs,
    onConnect: createOnConnect(connectionString, { ...lostClients, ...settings }),
    keepAlive: true,
  };
}

/** Returns the configurations of the pools that write the index, without and with pipelining, and of the owner's. */
export function createIndexerPoolConfigs(config: Config): Record<"pool" | "pipelined" | "owner", pg.PoolConfig> {
  const url = config.DATABASE_INDEXER_URL ?? config.DATABASE_URL;
  const timeout = { statement_timeout: 120_000 };
  return {
    pool: createPoolConfig("indexer", url, 4, timeout),
    pipelined: { ...createPoolConfig("indexer", url, 1, { ...timeout, ...keyLookupPlans }), pipeline: true },
    owner: createPoolConfig("rebuild", config.DATABASE_URL, 1, {}),
  };
}

/**
 * Opens the pools. No connection is made before the first query.
 *
 * @param observer - Measures the statements; default: nothing does.
 */
export function openDatabase(config: Config, log: Logger, observer?: Observer): Database {
  const pools: { name: string; pool: pg.Pool }[] = [];
  const watch = <P extends pg.Pool>(name: string, pool: P): P => {
    surviveLostConnections(pool, (error) => log.warn({ err: error, pool: name }, "idle database connection closed"));
    if (observer !== undefined) {
      pool.on("connect", (client) => observeStatements(client, name, observer));
      keepScopes(pool);
    }
    pools.push({ name, pool });
    return pool;
  };
  const open = (...[name, url, max, settings, own]: [...Parameters<typeof createPoolConfig>, pg.PoolConfig?]) =>
    watch(name, new pg.Pool({ ...createPoolConfig(name, url, max, settings), ...own }));

  const requestPools: RequestPool[] = [];
  const runningTime = startRunningTime(() => {
    for (const pool of requestPools) pool.refuseHopeless();
  });
  const size = config.DATABASE_POOL_SIZE;
  const waiting = { nowMs: runningTime.nowMs, maxWaitMs: config.MAX_DATABASE_WAIT_MS };
  const openForRequests = (name: string, url: string, onConnect: OnConnect, own: SessionSettings = {}) => {
    const settings = createPoolConfig(name, url, size, { statement_timeout: 5_000, ...own });
    const prepare: OnConnect = async (client) => {
      await settings.onConnect(client);
      await onConnect(client);
    };
    const requests = { onConnect: prepare, query_timeout: answerTimeoutMs };
    const pool = repeatDeadlocks(watch(name, new RequestPool({ ...settings, ...requests, ...waiting })));
    requestPools.push(pool);
    return pool;
  };
  const openServer = (name: string, url: string, onConnect: OnConnect, own: SessionSettings = {}) => ({
    pool: openForRequests(name, url, onConnect, { ...readAhead, ...own }),
    checks: open("check", url, 1, {}, { connectionTimeoutMillis: checkTimeoutMs, query_timeout: checkTimeoutMs }),
  });

  const apiUrl = config.DATABASE_API_URL ?? config.DATABASE_URL;
  const indexer = createIndexerPoolConfigs(config);
  const api = openForRequests("api", apiUrl, requirePrimary);
  // Only responses are read at a replica.
  const replicaUrls = config.ROLES.includes("api") ? (config.DATABASE_READ_URL ?? []) : [];
  const primary = { name: "primary", ...openServer("read", apiUrl, requirePrimary) };
  const replicas = orderReplicas(replicaUrls).map((url) => ({
    name: new URL(url).host,
    ...openServer("replica", url, identifyConnection, replicaLocks),
  }));
  const maxLagMs = config.DATABASE_READ_MAX_LAG_MS;
  const replica = replicas.length === 0 ? null : createReplicaReads({ primary, replicas, maxLagMs, log });
  /** The pools whose overload refuses requests: not the pools of replicas that reads do not use. */
  const getLoadedPools = () => {
    const used = replica?.getReplicaPool() as RequestPool | null | undefined;
    return used ? [api, primary.pool, used] : [api, primary.pool];
  };
  const single = {
    read: primary.pool,
    newest: primary.pool,
    readNewest: <T>(work: (db: Queryable) => Promise<T>) => work(primary.pool),
  };
  return {
    api,
    indexer: watch("indexer", new pg.Pool(indexer.pool)),
    pipelined: watch("indexer", new pg.Pool(indexer.pipelined)),
    ...(replica === null ? single : { read: replica.read, newest: replica.newest, readNewest: replica.readNewest }),
    replica,
    listening: open("listening", apiUrl, maxListeners, { statement_timeout: 5_000 }),
    measurePools: () => measurePools(pools),
    isOverloaded: () => getLoadedPools().some((pool) => pool.isOverloaded()),
    runExclusive: createKeyedMutex({ ...waiting, maxLength: size * maxWaitingPerConnection }),
    close: async () => {
      replica?.stop();
      await Promise.all(pools.map(({ pool }) => pool.end()));
      runningTime.stop();
    },
  };
}

/** Pools of one name, such as the two of the indexer, count together. */
function measurePools(pools: readonly { name: string; pool: pg.Pool }[]): PoolUse[] {
  const uses = new Map<string, PoolUse>();
  for (const { name, pool } of pools) {
    const use = uses.get(name) ?? { pool: name, used: 0, idle: 0, waiting: 0 };
    use.used += pool.totalCount - pool.idleCount;
    use.idle += pool.idleCount;
    use.waiting += pool instanceof RequestPool ? pool.waitingRequests : pool.waitingCount;
    uses.set(name, use);
  }
  return [...uses.values()];
}
