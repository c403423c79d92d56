import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { diagnoseReplicas } from "@slipway/server/db/diagnoseDatabase";
import { tryLead } from "@slipway/server/indexer/store/leadership";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startMovableProxy } from "../support/database/startMovableProxy.ts";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../support/database/startReplicatedPostgres.ts";
import { pauseClient } from "../support/pauseClient.ts";

let servers: ReplicatedPostgres;
/** The primary, for writes. */
let writer: pg.Pool;
let db: Database;
/** Lines of the log of `db`. */
let lines: string[];

const openPool = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => undefined);
  return pool;
};

/** Opens the connections of an API process. */
function open(urls: { primary: string; replicas: readonly string[] }): Database {
  const settings = { DATABASE_URL: urls.primary, DATABASE_READ_URL: urls.replicas.join(", ") };
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const opened = openDatabase(parseConfig({ RPC_URL: "http://127.0.0.1:9", ...settings }), log);
  onTestFinished(() => opened.close());
  return opened;
}

beforeAll(async () => {
  servers = await startReplicatedPostgres({ replicas: 2 });
  writer = openPool(servers.urls.primary);
  await writer.query("create table app.test_count as select 0 as count");
});
afterAll(async () => {
  await writer?.end();
  await servers?.stop();
});
beforeEach(async () => {
  lines = [];
  const { primary, replica, second } = servers.urls;
  db = open({ primary, replicas: [replica, second] });
  await expect.poll(getUsed).not.toBe("primary");
});

/** Returns the server that reads use. */
function getUsed(): "primary" | "replica" | "second" {
  const used = db.replica!.status().replicas.find(({ isUsed }) => isUsed);
  if (used === undefined) return "primary";
  return used.name === new URL(servers.urls.replica).host ? "replica" : "second";
}
const getOther = () => (getUsed() === "replica" ? "second" : "replica");

const increment = async () => await writer.query("update app.test_count set count = count + 1");
const readCount = async (queryable: Pick<pg.Pool, "query"> = db.read): Promise<number> =>
  (await queryable.query("select count from app.test_count")).rows[0].count;

const thawAll = () => {
  for (const name of ["primary", "replica", "second"] as const) servers.thaw(name);
};

/** Returns how many statements with a text the primary executes for `db`. */
const countActive = async (text: string): Promise<number> => {
  const sql =
    "select count(*)::int as count from pg_stat_activity where application_name = 'slipway-read' and state = 'active'";
  return (await writer.query(`${sql} and query like $1`, [`%${text}%`])).rows[0].count;
};

/** Reads until it is stopped, and collects failures and reads that are older than a read that ended before. */
function startReaders(count = 8) {
  const problems: string[] = [];
  let newest = 0;
  let served = 0;
  let isRunning = true;
  const run = async () => {
    while (isRunning) {
      const known = newest;
      try {
        const read = await readCount();
        if (read < known) problems.push(`${read} after ${known}`);
        newest = Math.max(newest, read);
        served++;
      } catch (error) {
        problems.push(String(error));
      }
      await pauseClient();
    }
  };
  const readers = Array.from({ length: count }, run);
  onTestFinished(() => {
    isRunning = false;
  });
  return {
    served: () => served,
    stop: async () => {
      isRunning = false;
      await Promise.all(readers);
      return problems;
    },
  };
}

test("C4-80 a dead replica fails no read: the other replica answers, then the primary, then a replica again", async () => {
  const readers = startReaders();
  const first = getUsed() as "replica" | "second";
  const other = getOther();
  await servers.kill(first);
  await expect.poll(getUsed).toBe(other);
  await servers.kill(other);
  await expect.poll(getUsed).toBe("primary");
  const before = readers.served();
  await expect.poll(readers.served).toBeGreaterThan(before + 50);
  await servers.restart(other);
  await expect.poll(getUsed).toBe(other);
  await servers.restart(first);
  expect(await readers.stop()).toEqual([]);
});

test("C4-80 reads at the primary end although all servers are found down meanwhile", async () => {
  const slow = db.newest.query("select pg_sleep(4)::text as slept");
  await expect.poll(() => countActive("pg_sleep")).toBe(1);
  onTestFinished(thawAll);
  servers.freeze("replica");
  servers.freeze("second");
  await expect.poll(getUsed).toBe("primary");
  // The primary stops between a reading of changes and the check of its position.
  const changes = db.readNewest(async (queryable) => {
    const count = await readCount(queryable);
    servers.freeze("primary");
    return count;
  });
  await expect.poll(() => lines.join("")).toContain("primary database does not answer");
  servers.thaw("primary");
  expect(await changes).toBe(await readCount());
  expect((await slow).rows).toEqual([{ slept: "" }]);
});

test("C4-81 a late replica answers no read: the other replica does", async () => {
  const late = getUsed() as "replica" | "second";
  const other = getOther();
  await servers.pauseReplay(late);
  try {
    await increment();
    const count = await db.readNewest(readCount);
    await expect.poll(getUsed).toBe(other);
    for (let read = 0; read < 20; read++) expect(await readCount()).toBe(count);
    const lateState = db.replica!.status().replicas.find(({ isUsed }) => !isUsed)!;
    await expect.poll(() => db.replica!.status().replicas.find(({ isUsed }) => !isUsed)?.lagMs).toBeGreaterThan(500);
    expect(lateState.name).toBe(new URL(servers.urls[late]).host);
  } finally {
    await servers.resumeReplay(late);
  }
});

test("C4-82 no read is older than a read that ended before it, while reads move between servers under writes", async () => {
  const readers = startReaders();
  let isWriting = true;
  const write = async () => {
    while (isWriting) {
      await increment();
      await db.readNewest(readCount);
    }
  };
  const written = write();
  for (let round = 0; round < 4; round++) {
    const used = getUsed();
    if (used === "primary") {
      await expect.poll(getUsed).not.toBe("primary");
      continue;
    }
    await servers.pauseReplay(used);
    await expect.poll(getUsed).not.toBe(used);
    await servers.resumeReplay(used);
  }
  isWriting = false;
  await written;
  expect(await readers.stop()).toEqual([]);
  expect(lines.filter((line) => line.includes("reads use a replica")).length).toBeGreaterThan(1);
});

test("C4-86 an indexer does not become the leader at a replica, such as a former primary", async () => {
  const log = pino({ level: "silent" });
  const replica = openPool(servers.urls.replica);
  onTestFinished(() => replica.end());
  expect(await tryLead(replica, log)).toBeNull();
  const leadership = await tryLead(writer, log);
  expect(leadership).not.toBeNull();
  await leadership?.release();
});

test("C4-88 a process neither reads nor acknowledges a write at a replica in place of the primary", async () => {
  const misled = open({ primary: servers.urls.replica, replicas: [servers.urls.second] });
  for (const queryable of [misled.api, misled.read, misled.newest]) {
    await expect(queryable.query("select 1")).rejects.toMatchObject({ code: "25006" });
  }
});

test("C4-87 PostgreSQL ends the session of a process that it no longer reaches within ten seconds", async () => {
  for (const pool of [db.indexer, db.pipelined, db.api, db.listening]) {
    const { rows } = await pool.query(
      `select current_setting('tcp_keepalives_idle')::int + current_setting('tcp_keepalives_interval')::int
         * current_setting('tcp_keepalives_count')::int as keepalive_seconds,
       current_setting('tcp_user_timeout') as timeout_ms`,
    );
    expect(rows).toEqual([{ keepalive_seconds: 6, timeout_ms: "6000" }]);
  }
});

/** An address behind which two servers stand: connections lead to them in turn. */
async function startRotatingProxy(urls: readonly string[]) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((near) => {
    const far = connect(Number(new URL(urls[connections++ % urls.length]!).port), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(urls[0]!);
  url.port = String((server.address() as AddressInfo).port);
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, stop };
}

test("C4-83 a name that leads to several servers is refused with the remedy, and no read is old or fails", async () => {
  const { primary, replica, second } = servers.urls;
  const proxy = await startRotatingProxy([replica, second]);
  onTestFinished(proxy.stop);
  db = open({ primary, replicas: [proxy.url] });
  await servers.pauseReplay("second");
  const readers = startReaders();
  try {
    await expect
      .poll(async () => {
        await increment();
        const count = await db.readNewest(readCount);
        expect(await readCount()).toBeGreaterThanOrEqual(count);
        return lines.join("");
      })
      .toContain("DATABASE_READ_URL: a name leads to several servers; name each replica, separated by commas");
  } finally {
    await servers.resumeReplay("second");
  }
  expect(await readers.stop()).toEqual([]);
  const config = parseConfig({ DATABASE_URL: primary, DATABASE_READ_URL: proxy.url, RPC_URL: "http://127.0.0.1:9" });
  expect(await diagnoseReplicas(config)).toEqual([
    { check: "replica", level: "problem", text: expect.stringContaining("leads to several servers") },
  ]);
});

test("C4-84 after a promotion, a replica that does not follow the new primary answers no read", async () => {
  const trio = await startReplicatedPostgres({ replicas: 2 });
  onTestFinished(() => trio.stop());
  const address = await startMovableProxy(trio.urls.primary);
  onTestFinished(() => address.stop());
  const movable = openPool(address.url);
  onTestFinished(() => movable.end());
  await movable.query("create table app.test_count as select 0 as count");
  db = open({ primary: address.url, replicas: [trio.urls.replica, trio.urls.second] });
  await expect.poll(() => db.replica!.status().readsFrom).toBe("replica");

  // The first replica lacks the last changes; the second one has them, and continues on its own.
  await trio.disconnect("replica");
  for (let change = 0; change < 20; change++) await movable.query("update app.test_count set count = count + 1");
  const lost = await db.readNewest(readCount);
  const isUsed = ({ isUsed: used, name }: { isUsed: boolean; name: string }) =>
    used && name === new URL(trio.urls.second).host;
  await expect.poll(() => db.replica!.status().replicas.some(isUsed)).toBe(true);
  expect(await readCount()).toBe(lost);
  await trio.disconnect("second");
  const readers = startReaders();
  await trio.kill("primary");
  await trio.promote();
  expect(await readers.stop()).toEqual([]);
  address.moveTo(trio.urls.replica);
  await expect.poll(() => db.readNewest(readCount).catch(() => "unavailable")).toBe(0);
  await movable.query("update app.test_count set count = count + 100");
  for (let read = 0; read < 20; read++) expect(await readCount()).toBe(100);
  expect(db.replica!.status().readsFrom).toBe("primary");
});

test("C4-85 after a promotion, reads use the replica that follows the new primary, without a restart", async () => {
  const trio = await startReplicatedPostgres({ replicas: 2 });
  onTestFinished(() => trio.stop());
  const address = await startMovableProxy(trio.urls.primary);
  onTestFinished(() => address.stop());
  const movable = openPool(address.url);
  onTestFinished(() => movable.end());
  await movable.query("create table app.test_count as select 0 as count");
  db = open({ primary: address.url, replicas: [trio.urls.replica, trio.urls.second] });
  await expect.poll(() => db.replica!.status().readsFrom).toBe("replica");
  await expect.poll(() => db.replica!.status().replicas.every(({ lagMs }) => lagMs === 0)).toBe(true);
  await expect.poll(() => readCount()).toBe(0);

  const readers = startReaders();
  await trio.kill("primary");
  await trio.promote();
  address.moveTo(trio.urls.replica);
  await trio.followPromoted();
  // Until the process has found the new primary, the replica answers with what the process knows.
  await movable.query("update app.test_count set count = 7");
  await expect.poll(() => db.readNewest(readCount)).toBe(7);
  expect(await readCount()).toBe(7);
  const getName = () => db.replica!.status().replicas.find(({ isUsed }) => isUsed)?.name;
  await expect.poll(getName).toBe(new URL(trio.urls.second).host);
  expect(await readCount()).toBe(7);
  expect(await readers.stop()).toEqual([]);
});

/** Starts a primary with two replicas, and a process whose reads use a replica. `address` leads to the primary. */
async function openTrio() {
  const trio = await startReplicatedPostgres({ replicas: 2 });
  onTestFinished(() => trio.stop());
  const movable = openPool(trio.urls.primary);
  onTestFinished(() => movable.end());
  await movable.query("create table app.test_count as select 1 as count");
  db = open({ primary: trio.urls.primary, replicas: [trio.urls.replica, trio.urls.second] });
  await expect.poll(() => db.replica!.status().readsFrom).toBe("replica");
  await expect.poll(() => readCount().catch(() => 0)).toBe(1);
  return { trio, movable };
}

test("C4-89 commits that wait for a synchronous replica are not required of the replicas after the primary's end", async () => {
  const { trio, movable } = await openTrio();
  const count = await db.readNewest(readCount);
  // The primary no longer reaches its replicas.
  await movable.query("alter system set synchronous_standby_names = 'lost'");
  await movable.query("select pg_reload_conf()");
  await trio.disconnect("replica");
  await trio.disconnect("second");
  const { rows: before } = await movable.query("select pg_current_wal_flush_lsn() as position");
  const waiting = movable.query("update app.test_count set count = 99").catch(() => undefined);
  const isFlushed = "select pg_current_wal_flush_lsn() > $1 as flushed";
  await expect.poll(async () => (await movable.query(isFlushed, [before[0].position])).rows[0].flushed).toBe(true);
  for (let reading = 0; reading < 3; reading++) expect(await db.readNewest(readCount)).toBe(count);
  await trio.kill("primary");
  await waiting;
  await expect.poll(() => db.replica!.status().readsFrom).toBe("replica");
  expect(await readCount()).toBe(count);
});

test("C4-89 a former primary that has started as a replica answers no read", async () => {
  const { trio } = await openTrio();
  for (const name of ["replica", "second"] as const) await trio.kill(name);
  await expect.poll(() => db.replica!.status().readsFrom).toBe("primary");
  db = open({ primary: trio.urls.primary, replicas: [trio.urls.primary] });
  await expect.poll(() => db.readNewest(readCount).catch(() => 0)).toBe(1);
  await trio.kill("primary");
  await trio.restartAsReplica("primary");
  // All servers are checked every 250 ms.
  const untilMs = performance.now() + 1_000;
  while (performance.now() < untilMs) await expect(db.newest.query("select 1")).rejects.toThrow();
  expect(db.replica!.status().readsFrom).toBe("primary");
});
