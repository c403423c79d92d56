import type pg from "pg";
import type { Logger } from "pino";
import { followReplica, type Server } from "./followReplica.ts";
import { isStorageFailure } from "./isStorageFailure.ts";
import { NoFreeConnection } from "./requestPool.ts";

type Queryable = Pick<pg.Pool, "query">;

export type ReplicaStatus = {
  /** The server that reads use now. */
  readsFrom: "primary" | "replica";
  /** See `ReplicaLag.getMs`. */
  lagMs: number | null;
};

/** The reads of a process with a replica. */
export type ReplicaReads = {
  /** Reads at the replica if it has every change that this process knows of, otherwise at the primary. */
  read: Queryable;
  /** Reads at the primary; at the replica while the primary does not answer and the replica may be used. */
  newest: Queryable;
  /** See `Database.readNewest`. */
  readNewest<T>(work: (db: Queryable) => Promise<T>): Promise<T>;
  status(): ReplicaStatus;
  stop(): void;
};

/** Whether another server may answer: not for a query that is too slow, or a process with too many requests. */
function isServerFailure(error: Error & { code?: string }): boolean {
  return isStorageFailure(error) && error.code !== "57014" && !(error instanceof NoFreeConnection);
}

/**
 * Starts to check a primary and its replica, and directs reads to one of them. The replica answers only if it has
 * replayed every position that this process has read, so that no read returns older data than the read before.
 *
 * @param options.maxLagMs - The maximum lag of a replica that may answer.
 */
export function createReplicaReads(options: {
  primary: Pick<Server, "pool" | "checks">;
  replica: Pick<Server, "pool" | "checks">;
  maxLagMs: number;
  log: Logger;
}): ReplicaReads {
  const primary: Server = { ...options.primary, isUp: null, abandon: new Set() };
  const replica: Server = { ...options.replica, isUp: null, abandon: new Set() };
  const follower = followReplica({ ...options, primary, replica });
  const { isUsable } = follower;

  const runUnlessLost = async <T>(server: Server, work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    server.abandon.add(reject);
    try {
      return await Promise.race([work(server.pool), lost]);
    } finally {
      server.abandon.delete(reject);
    }
  };

  /** Runs reads at the first server, or again at the second if the first fails. */
  const run = async <T>(first: Server, second: Server | null, work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    if (second === null) return await work(first.pool);
    try {
      return await runUnlessLost(first, work);
    } catch (error) {
      if (!isServerFailure(error as Error)) throw error;
      return await work(second.pool);
    }
  };
  const runRead = async <T>(work: (pool: pg.Pool) => Promise<T>) =>
    isUsable() ? await run(replica, primary, work) : await run(primary, null, work);
  const runNewest = async <T>(work: (pool: pg.Pool) => Promise<T>) => {
    if (!isUsable()) return await run(primary, null, work);
    return primary.isUp ? await run(primary, replica, work) : await run(replica, primary, work);
  };
  const toQueryable = (runAny: typeof runRead): Queryable => ({
    query: ((...query: unknown[]) =>
      runAny(
        async (pool) => await (pool.query as (...all: unknown[]) => Promise<unknown>).apply(pool, query),
      )) as pg.Pool["query"],
  });

  return {
    read: toQueryable(runRead),
    newest: toQueryable(runNewest),
    readNewest: async (work) =>
      await runNewest(async (pool) => {
        const result = await work(pool);
        if (pool === primary.pool) await follower.advance();
        return result;
      }),
    status: () => ({ readsFrom: isUsable() ? "replica" : "primary", lagMs: follower.getLagMs() }),
    stop: follower.stop,
  };
}
