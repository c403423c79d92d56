import type pg from "pg";
import type { Logger } from "pino";
import { createReplicaChoice } from "./chooseReplica.ts";
import { followServers, type Replica } from "./followServers.ts";
import { isStorageFailure } from "./isStorageFailure.ts";
import { AnotherServer, createQueriesAt, ReadAbandoned, type ReadServer } from "./readServer.ts";
import { ReplicaLag } from "./replicaLag.ts";
import { NoFreeConnection } from "./requestPool.ts";

type Queryable = Pick<pg.Pool, "query">;
type Connections = Pick<ReadServer, "name" | "pool" | "checks">;
type Work<T> = (db: Queryable) => Promise<T>;

export type ReplicaStatus = {
  /** The server that reads use now. */
  readsFrom: "primary" | "replica";
  /** See `ReplicaLag.getMs`: the lag of the replica in use, otherwise the smallest one. */
  lagMs: number | null;
  /** `name` is host and port. */
  replicas: { name: string; isUsed: boolean; lagMs: number | null }[];
};

/** The reads of a process with replicas. */
export type ReplicaReads = {
  /** Reads at a replica if it has every change that this process knows of, otherwise at the primary. */
  read: Queryable;
  /** Reads at the primary; at a replica while the primary does not answer and the replica may be used. */
  newest: Queryable;
  /** See `Database.readNewest`. */
  readNewest<T>(work: Work<T>, toChanges?: (result: T) => unknown): Promise<T>;
  status(): ReplicaStatus;
  /** The connections to the replica that reads use now; null if they use the primary. */
  getReplicaPool(): pg.Pool | null;
  stop(): void;
};

/** SQLSTATE of a lock that was not available within the timeout of replicas. */
const lockNotAvailable = "55P03";

/** Whether another server may answer: not for a query that is too slow, or a process with too many requests. */
function isServerFailure(error: Error & { code?: string }): boolean {
  return isStorageFailure(error) && error.code !== "57014" && !(error instanceof NoFreeConnection);
}

const toServer = (connections: Connections): ReadServer => ({
  ...connections,
  isUp: null,
  reading: 0,
  abandon: new Set(),
});

/**
 * Starts to check a primary and its replicas, and directs reads to one of them: one replica at a time, until it fails or
 * lacks a position that this process has read. Then the primary answers, until a replica has everything that the
 * responses of the primary contain. So no read returns older data than a read that ended before it.
 *
 * @param options.replicas - In the order in which this process prefers them; at least one.
 * @param options.maxLagMs - The maximum lag of a replica that may answer.
 */
export function createReplicaReads(options: {
  primary: Connections;
  replicas: readonly Connections[];
  maxLagMs: number;
  log: Logger;
}): ReplicaReads {
  const { maxLagMs, log } = options;
  const primary = toServer(options.primary);
  const replicas = options.replicas.map((connections): Replica => {
    const state = {
      identity: null,
      followsPrimary: false,
      isLate: false,
      refusedUntilMs: 0,
    };
    return { ...toServer(connections), ...state, lag: new ReplicaLag() };
  });
  const queriesAt = new Map<ReadServer, Queryable>([[primary, primary.pool]]);
  for (const replica of replicas)
    queriesAt.set(
      replica,
      createQueriesAt(replica.pool, () => replica.identity),
    );

  const choice = createReplicaChoice({ primary, replicas, getFollower: () => follower, log });
  const follower = followServers({ primary, replicas, maxLagMs, log, onChecked: choice.update });

  /** Runs reads at a server. Abandons them if the server is found down and `hasOther` returns true. */
  const runAt = async <T>(server: ReadServer, work: Work<T>, hasOther: () => boolean): Promise<T> => {
    const { promise: abandoned, reject } = Promise.withResolvers<never>();
    const abandon = () => {
      if (hasOther()) reject(new ReadAbandoned(`${server.name} does not answer`));
    };
    server.abandon.add(abandon);
    server.reading++;
    try {
      return await Promise.race([work(queriesAt.get(server)!), abandoned]);
    } catch (error) {
      if (error instanceof AnotherServer) follower.refuse(server as Replica);
      if ((error as { code?: string }).code === lockNotAvailable) follower.avoid(server as Replica);
      throw error;
    } finally {
      server.reading--;
      server.abandon.delete(abandon);
    }
  };

  /** Returns the servers that may answer a read, first the one to ask. */
  const listServers = (isNewest: boolean): Set<ReadServer> => {
    const used = choice.get();
    const first = used === null ? [] : [used];
    const usable = replicas.filter(follower.isUsable);
    if (primary.isUp === false) return new Set([...first, ...usable, primary]);
    return new Set(isNewest ? [primary, ...first, ...usable] : [...first, primary, ...usable]);
  };
  /**
   * Runs reads at the first server, and again at the next one if a server fails. A server that was only found down may be
   * asked again: a process that stalls finds all servers down at once.
   */
  const run = async <T>(isNewest: boolean, work: (db: Queryable, server: ReadServer) => Promise<T>): Promise<T> => {
    const failed = new Set<ReadServer>();
    let failure: unknown;
    for (;;) {
      await choice.untilResumed();
      const list = () => listServers(isNewest).difference(failed);
      const [server] = list();
      if (server === undefined) throw failure;
      try {
        return await runAt(
          server,
          (db) => work(db, server),
          () => list().difference(new Set([server])).size > 0,
        );
      } catch (error) {
        if (error instanceof ReadAbandoned) continue;
        if (!isServerFailure(error as Error)) throw error;
        failed.add(server);
        failure = error;
      }
    }
  };

  const toQueryable = (isNewest: boolean): Queryable => ({
    query: ((...query: unknown[]) =>
      run(
        isNewest,
        async (db) => await (db.query as (...all: unknown[]) => Promise<unknown>).apply(db, query),
      )) as pg.Pool["query"],
  });

  return {
    read: toQueryable(false),
    newest: toQueryable(true),
    readNewest: async (work, toChanges = (result) => result) =>
      await run(true, async (db, server) => {
        const result = await work(db);
        if (server === primary) await follower.advanceAfter(work, toChanges(result), choice.get());
        return result;
      }),
    status: () => {
      const used = choice.get();
      const lags = replicas.map(follower.getLagMs).filter((lagMs) => lagMs !== null);
      const smallest = lags.length === 0 ? null : Math.min(...lags);
      return {
        readsFrom: used === null ? "primary" : "replica",
        lagMs: used === null ? smallest : follower.getLagMs(used),
        replicas: replicas.map((replica) => ({
          name: replica.name,
          isUsed: replica === used,
          lagMs: follower.getLagMs(replica),
        })),
      };
    },
    getReplicaPool: () => choice.get()?.pool ?? null,
    stop: () => follower.stop(),
  };
}
