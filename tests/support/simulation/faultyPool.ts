import type pg from "pg";
import type { Random } from "./random.ts";

export type DatabaseFaults = {
  /** A statement fails, with or without the connection. */
  statement: number;
  /** The connection dies during COMMIT: half of the time before, half after it took effect. */
  commit: number;
  /** The process is killed at a statement, COMMIT included: before it reaches the server or after it took effect. */
  kill?: number;
};

/** The number of calls in progress to the database and to the nodes. */
export type Calls = { pending: number };

/** Runs a call, and counts it while it is in progress. */
export async function countPending<Result>(calls: Calls, call: () => Promise<Result>): Promise<Result> {
  calls.pending++;
  try {
    return await call();
  } finally {
    calls.pending--;
  }
}

/** A pool whose connections break at random, and that can be killed: then nothing reaches the database any more. */
export function createFaultyPool(
  pool: pg.Pool,
  random: Random,
  faults: () => DatabaseFaults,
  onKilled: () => void = () => undefined,
  calls: Calls = { pending: 0 },
): { pool: pg.Pool; kill(): void } {
  let isKilled = false;
  const createKilledError = () => new Error("the process was killed");

  const run = async (query: (...args: any[]) => Promise<any>, args: any[], breakConnection: () => void) => {
    if (isKilled) throw createKilledError();
    if (random.chance(faults().kill ?? 0)) {
      if (random.chance(0.5)) await query(...args).catch(() => undefined);
      isKilled = true;
      onKilled();
      throw createKilledError();
    }
    const text: string = typeof args[0] === "string" ? args[0] : args[0].text;
    if (text === "commit") {
      if (random.chance(faults().commit)) {
        if (random.chance(0.5)) await query(...args);
        breakConnection();
        throw new Error("Connection terminated unexpectedly");
      }
    } else if (text !== "rollback" && random.chance(faults().statement)) {
      const way = random.integer(0, 2);
      if (way === 0) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
      if (way === 1) throw Object.assign(new Error("could not serialize access"), { code: "40001" });
      breakConnection();
      throw new Error("Connection terminated unexpectedly");
    }
    return await query(...args);
  };

  const connect = async () => {
    if (isKilled) throw createKilledError();
    const client = await countPending(calls, () => pool.connect());
    let isBroken = false;
    const broke = () => {
      isBroken = true;
      return new Error("Client has encountered a connection error and is not queryable");
    };
    const query = async (args: any[]) => {
      if (isBroken) throw broke();
      const breakConnection = () => {
        isBroken = true;
      };
      return await countPending(calls, () => run(client.query.bind(client), args, breakConnection));
    };
    return new Proxy(client, {
      get: (target, property) => {
        if (property === "query") {
          // A COPY is a stream: it is passed on unchanged, and fails only with the connection.
          return (...args: any[]) => {
            if (typeof args[0]?.submit === "function") {
              if (isKilled) throw createKilledError();
              if (isBroken) throw broke();
              return target.query(args[0]);
            }
            return query(args);
          };
        }
        // A killed or broken connection is not returned to the pool: the server rolls back its transaction.
        if (property === "release")
          return (error?: Error | boolean) => target.release(isBroken || isKilled ? true : error);
        const value = Reflect.get(target, property);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };

  const faulty = new Proxy(pool, {
    get: (target, property) => {
      if (property === "connect") return connect;
      if (property === "query") {
        return (...args: any[]) => countPending(calls, () => run(target.query.bind(target), args, () => undefined));
      }
      const value = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    pool: faulty,
    kill: () => {
      isKilled = true;
    },
  };
}
