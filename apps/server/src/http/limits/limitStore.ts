import pLimit from "p-limit";
import type { QueryConfig, QueryResult } from "pg";
import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { Queryable } from "../../db/database.ts";
import { deleteEndedWindows } from "./queries.ts";

/** Connections of the pool that limits use at most: a table that is locked must not take those of the requests. */
const maxConcurrentQueries = 2;
/** How long a process counts by itself before it asks PostgreSQL again. */
const localOnlyMs = 1_000;
const sweepIntervalMs = 60_000;

/** Who decided: all processes together, or this one by itself. */
export type LimitOutcome = "shared" | "local";

/** Where shared windows are stored, and how limiters reach it. */
export type LimitStore = {
  /** What `RateLimiterPostgres` needs of the table: app.rate_limits, made by a migration and swept here. */
  tableOptions: {
    storeClient: { query(statement: QueryConfig): Promise<QueryResult> };
    storeType: "pool";
    schemaName: "app";
    tableName: "rate_limits";
    tableCreated: true;
    clearExpiredByTimeout: false;
  };
  stop(): Promise<void>;
};

/**
 * Opens the store of shared limits. A query fails after `timeoutMs`, and all of them for a second after one has failed;
 * the limiter's insurance decides then.
 *
 * @param options.longestWindowMs - Of all policies.
 * @param options.onOutcome - Called for each decision.
 */
export function openLimitStore(options: {
  db: Queryable;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
  longestWindowMs: number;
  onOutcome: (outcome: LimitOutcome) => void;
}): LimitStore {
  const { db, clock, log, timeoutMs, longestWindowMs, onOutcome } = options;
  const run = pLimit(maxConcurrentQueries);
  /** When PostgreSQL last failed; null when its last answer was good. */
  let failedAtMs: number | null = null;

  const isLocalOnly = () => {
    const elapsedMs = failedAtMs === null ? localOnlyMs : clock.now() - failedAtMs;
    return elapsedMs >= 0 && elapsedMs < localOnlyMs;
  };

  const fail = (error: unknown) => {
    if (failedAtMs === null) log.warn({ err: error, timeoutMs }, "shared rate limits unavailable");
    failedAtMs = clock.now();
    run.clearQueue();
  };

  const queryInTime = async (statement: QueryConfig): Promise<QueryResult> => {
    const done = new AbortController();
    const timeout = clock.sleep(timeoutMs, done.signal).then(() => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
    try {
      return await Promise.race([run(() => db.query(statement)), timeout]);
    } finally {
      done.abort();
    }
  };

  const query = async (statement: QueryConfig): Promise<QueryResult> => {
    try {
      if (isLocalOnly()) throw new Error("PostgreSQL failed less than a second ago");
      const result = await queryInTime(statement).catch((error: unknown) => {
        fail(error);
        throw error;
      });
      if (failedAtMs !== null) log.info("shared rate limits available");
      failedAtMs = null;
      onOutcome("shared");
      return result;
    } catch (error) {
      onOutcome("local");
      throw error;
    }
  };

  const sweep = setInterval(() => {
    deleteEndedWindows(db, clock.now(), longestWindowMs).catch((error: unknown) =>
      log.debug({ err: error }, "ended rate limit windows not deleted"),
    );
  }, sweepIntervalMs).unref();

  return {
    tableOptions: {
      storeClient: { query },
      storeType: "pool",
      schemaName: "app",
      tableName: "rate_limits",
      tableCreated: true,
      clearExpiredByTimeout: false,
    },
    stop: async () => clearInterval(sweep),
  };
}
