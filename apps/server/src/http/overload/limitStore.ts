import pLimit from "p-limit";
import type { QueryConfig, QueryResult } from "pg";
import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { Queryable } from "../../db/database.ts";
import { createConsume, deleteEndedWindows, type SharedWindow } from "./queries.ts";

/** Maximum connections of the pool that limits use, so that a locked table leaves connections to requests. */
const maxConcurrentQueries = 2;
/** How long a process counts separately before it queries PostgreSQL again. */
const localOnlyMs = 1_000;
const sweepIntervalMs = 60_000;

/** Whether the shared window decided, or only this process. */
export type LimitOutcome = "shared" | "local";

/** The store of shared windows: the table app.rate_limits. */
export type LimitStore = {
  /** Consumes points in the shared window of a subject. @throws An error if PostgreSQL does not answer in time. */
  consume(key: string, points: number, windowMs: number): Promise<SharedWindow>;
  stop(): Promise<void>;
};

/**
 * Opens the store of shared limits. A query fails after `timeoutMs`. After a failure all queries fail for a second, and each
 * process counts for itself.
 *
 * @param options.longestWindowMs - The longest window of all policies.
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
  /** The time of the last failed query; null after a successful query. */
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

  const query = async (statement: QueryConfig): Promise<QueryResult<SharedWindow>> => {
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
    deleteEndedWindows(db, longestWindowMs).catch((error: unknown) =>
      log.debug({ err: error }, "ended rate limit windows not deleted"),
    );
  }, sweepIntervalMs).unref();

  return {
    consume: async (...window) => (await query(createConsume(...window))).rows[0]!,
    stop: async () => clearInterval(sweep),
  };
}
