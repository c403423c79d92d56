import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../tests/support/database/openTestDatabase.ts";
import { maxWaitingPerConnection, NoFreeConnection, RequestPool } from "./requestPool.ts";
import { startRunningTime } from "./requestQueue.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

// Fakes only the timer of the pool; the driver's timers stay real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => void vi.useRealTimers());

const max = 2;
const maxWaitMs = 1_000;

function openPool(connectionString = database.url): { pool: RequestPool; nowMs: () => number } {
  const { nowMs, stop } = startRunningTime(() => pool.refuseHopeless());
  const pool = new RequestPool({ connectionString, max, maxWaitMs, connectionTimeoutMillis: 60_000, nowMs });
  pool.on("error", () => undefined);
  onTestFinished(async () => {
    await pool.end();
    stop();
  });
  return { pool, nowMs };
}

/** Creates requests for connections. Each request keeps its connection until `passOn`. */
function createRequests(pool: RequestPool, held: pg.PoolClient[]) {
  const outcomes: string[] = [];
  const changes = new EventEmitter();
  const add = (outcome: string) => {
    outcomes.push(outcome);
    changes.emit("outcome");
  };
  const request = (name: string) =>
    pool.connect().then(
      (client) => {
        held.push(client);
        add(name);
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(NoFreeConnection);
        add(`${name} refused`);
      },
    );
  return {
    outcomes,
    request,
    requestAll: (count: number) => Array.from({ length: count }, (_, index) => request(`request ${index}`)),
    /** Releases the connection that has been in use longest. The request that has waited longest gets it. */
    passOn: async () => {
      const outcome = once(changes, "outcome");
      held.shift()!.release();
      await outcome;
    },
    releaseAll: () => {
      for (const client of held.splice(0)) client.release();
    },
  };
}

async function openBusyPool() {
  const { pool, nowMs } = openPool();
  const held = await Promise.all(Array.from({ length: max }, () => pool.connect()));
  const requests = createRequests(pool, held);
  // Requests that still wait after a failed test get a connection, so that the pool can end.
  onTestFinished(async () => {
    while (held.length > 0) {
      requests.releaseAll();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  return { pool, nowMs, ...requests };
}

describe("a request for a connection", () => {
  test("waits in the order of arrival while connections become free", async () => {
    const { outcomes, requestAll, passOn } = await openBusyPool();
    const waiting = requestAll(6);
    for (const _ of waiting) {
      vi.advanceTimersByTime(4_500);
      await passOn();
    }
    await Promise.all(waiting);
    expect(outcomes).toEqual(["request 0", "request 1", "request 2", "request 3", "request 4", "request 5"]);
  });

  test("is refused after five seconds without a free connection, then immediately until a connection is free", async () => {
    const { outcomes, request, requestAll, releaseAll } = await openBusyPool();
    const waiting = requestAll(2);
    vi.advanceTimersByTime(4_500);
    expect(outcomes).toEqual([]);
    vi.advanceTimersByTime(500);
    await Promise.all(waiting);
    await request("later");
    expect(outcomes).toEqual(["request 0 refused", "request 1 refused", "later refused"]);
    releaseAll();
    await request("served");
    expect(outcomes.at(-1)).toBe("served");
  });

  test("is refused after thirty seconds, even if connections become free", async () => {
    const { outcomes, requestAll, passOn } = await openBusyPool();
    const waiting = requestAll(40);
    for (let second = 1; second < 30; second++) {
      vi.advanceTimersByTime(1_000);
      await passOn();
    }
    expect(outcomes.filter((outcome) => outcome.endsWith("refused"))).toEqual([]);
    vi.advanceTimersByTime(1_000);
    await Promise.all(waiting);
    expect(outcomes.filter((outcome) => outcome.endsWith("refused"))).toHaveLength(11);
  });

  test("is not refused because the process did not run", async () => {
    vi.useRealTimers();
    const { outcomes, requestAll, passOn, nowMs } = await openBusyPool();
    const waiting = requestAll(1);
    const before = nowMs();
    // The thread sleeps, as on a suspended machine: all timers are due before the process reads an answer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
    await vi.waitUntil(() => nowMs() - before > 300, 60_000);
    expect(outcomes).toEqual([]);
    await passOn();
    await Promise.all(waiting);
    expect(outcomes).toEqual(["request 0"]);
  });

  test("is refused after five seconds if the database accepts connections and does not answer", async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { pool } = openPool(`postgres://someone@127.0.0.1:${(server.address() as AddressInfo).port}/none`);
    const { outcomes, request, requestAll } = createRequests(pool, []);
    // For two requests a connection is being opened; one request waits.
    const waiting = requestAll(3);
    vi.advanceTimersByTime(5_000);
    await Promise.all(waiting);
    await request("later");
    expect(outcomes).toHaveLength(4);
    expect(outcomes.filter((outcome) => !outcome.endsWith("refused"))).toEqual([]);
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  test("gets the connection that was being opened for a refused request", async () => {
    const { pool } = openPool();
    const { outcomes, request, requestAll, releaseAll } = createRequests(pool, []);
    const refused = requestAll(1);
    vi.advanceTimersByTime(5_000);
    await Promise.all(refused);
    expect(outcomes).toEqual(["request 0 refused"]);
    while (pool.idleCount === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await request("later");
    expect([outcomes.at(-1), pool.totalCount]).toEqual(["later", 1]);
    releaseAll();
  });

  test("is refused with the database's error if no connection can be opened", async () => {
    const { pool } = openPool("postgres://someone@127.0.0.1:9/none");
    const requests = Array.from({ length: 5 }, () => pool.query("select 1"));
    for (const request of requests) await expect(request).rejects.toThrow(/ECONNREFUSED/);
  });
});

test("a pool is overloaded while the maximum number of requests wait", async () => {
  const { pool, requestAll, passOn } = await openBusyPool();
  void requestAll(max * maxWaitingPerConnection - 1);
  expect(pool.isOverloaded()).toBe(false);
  void requestAll(1);
  expect(pool.isOverloaded()).toBe(true);
  await passOn();
  expect(pool.isOverloaded()).toBe(false);
});
