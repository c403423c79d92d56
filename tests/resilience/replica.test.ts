import { randomUUID } from "node:crypto";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { startReadModel } from "@slipway/server/cache/startReadModel";
import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { bakery } from "../support/businesses/useBusinesses.ts";
import { startMovableProxy } from "../support/database/startMovableProxy.ts";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../support/database/startReplicatedPostgres.ts";
import { pauseClient } from "../support/pauseClient.ts";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";
import { clear, insertIndex, insertToken, toAddress } from "../support/server/rows.ts";

let servers: ReplicatedPostgres;
/** An API process: its connections, server and follower of the outbox. */
type Process = { db: Database; read: ReadApp; stop(): Promise<void> };
let first: Process;
/** For the state before a test, without a replica. */
let admin: Database;
const opened: Process[] = [];

async function open(settings: Record<string, string> = {}): Promise<Process> {
  const urls = { DATABASE_URL: servers.urls.primary, DATABASE_READ_URL: servers.urls.replica };
  const log = pino({ level: process.env.TEST_LOG ?? "silent" });
  const db = openDatabase(parseConfig({ RPC_URL: "http://127.0.0.1:9", ...urls, ...settings }), log);
  const read = await createReadApp(db, {}, systemClock, log);
  const follower = startReadModel(read.deps);
  const stop = async () => {
    await follower.stop();
    await read.app.close();
    await db.close();
  };
  const one = { db, read, stop };
  opened.push(one);
  return one;
}

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  const config = parseConfig({ DATABASE_URL: servers.urls.primary, RPC_URL: "http://127.0.0.1:9" });
  admin = openDatabase(config, pino({ level: "silent" }));
});
afterAll(async () => {
  await admin?.close();
  await servers?.stop();
});
beforeEach(async () => {
  await clear(admin);
  await insertIndex(admin);
  await insertToken(admin, 1);
  first = await open();
  await expect.poll(() => readFrom(first)).toBe("replica");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.stop()));
});

const getReadiness = async ({ read }: Process, query = "") => await read.get(`/readyz${query}`);
const readFrom = async (one: Process) => (await getReadiness(one)).json.database.reads_from;
const token = toAddress(1_001);
const readHolders = async ({ read }: Process) => {
  const { status, json } = await read.get(`/tokens/${token}`);
  return [status, json.holders];
};

let commits = 0;
/** Commits a change of the token as the indexer does. @returns the outbox id. */
async function commit({ db }: Process, holders: number): Promise<number> {
  const id = 1_000 + ++commits;
  const client = await db.indexer.connect();
  try {
    await client.query("begin");
    await client.query("update chain.token_state set holders = $1", [holders]);
    await client.query("update chain.status set updated_at = now()");
    await client.query(
      `insert into chain.outbox (id, block_number, kind, token, payload) overriding system value
       values ($1, 1, 'trade', $2, '{}')`,
      [id, token],
    );
    await client.query("select pg_notify('slipway_outbox', '1')");
    await client.query("commit");
  } finally {
    client.release();
  }
  return id;
}

/** Reads without the cache until it is stopped. */
function startReaders({ read }: Process) {
  let served = 0;
  const failures: unknown[] = [];
  let isRunning = true;
  const run = async () => {
    while (isRunning) {
      const { status, json } = await read.get(`/tokens?q=${randomUUID()}`);
      if (status === 200) served++;
      else failures.push(json);
      await pauseClient();
    }
  };
  const readers = Array.from({ length: 8 }, run);
  return {
    served: () => served,
    /** @returns the answers that are no success. */
    stop: async () => {
      isRunning = false;
      await Promise.all(readers);
      return failures;
    },
  };
}

test("C3-70 no read fails when the replica dies, and reads use the replica again when it is back", async () => {
  const readers = startReaders(first);
  await expect.poll(readers.served).toBeGreaterThan(50);
  await servers.kill("replica");
  const atDeath = readers.served();
  await expect.poll(() => readFrom(first)).toBe("primary");
  await expect.poll(readers.served).toBeGreaterThan(atDeath + 50);
  expect((await getReadiness(first)).json.checks.database).toEqual({ ok: true, reason: null });
  await servers.restart("replica");
  await expect.poll(() => readFrom(first)).toBe("replica");
  expect(await readers.stop()).toEqual([]);
});

test("C3-70 no read fails when the replica hangs: the reads in progress are repeated at the primary", async () => {
  const readers = startReaders(first);
  await expect.poll(readers.served).toBeGreaterThan(50);
  servers.freeze("replica");
  try {
    const atDeath = readers.served();
    await expect.poll(readers.served).toBeGreaterThan(atDeath + 50);
    expect(await readFrom(first)).toBe("primary");
    expect((await getReadiness(first)).json.checks.database).toEqual({ ok: true, reason: null });
  } finally {
    servers.thaw("replica");
  }
  await expect.poll(() => readFrom(first)).toBe("replica");
  expect(await readers.stop()).toEqual([]);
});

test("C3-72 while the primary hangs, reads continue, and readiness reports that it takes no writes", async () => {
  await commit(first, 61);
  await expect.poll(() => readHolders(first)).toEqual([200, 61]);
  await expect.poll(() => readFrom(first)).toBe("replica");
  servers.freeze("primary");
  try {
    for (let count = 0; count < 50; count++) expect(await readHolders(first)).toEqual([200, 61]);
    await expect.poll(async () => (await getReadiness(first, "?for=writes")).status).toBe(503);
    expect((await getReadiness(first, "?for=reads")).status).toBe(200);
  } finally {
    servers.thaw("primary");
  }
  await expect.poll(async () => (await getReadiness(first, "?for=writes")).status).toBe(200);
});

test("C3-71 a late replica is not read, and readiness reports its lag", async () => {
  expect(await readHolders(first)).toEqual([200, expect.anything()]);
  await servers.pauseReplay();
  try {
    for (const holders of [21, 22, 23]) {
      await commit(first, holders);
      await expect.poll(() => readHolders(first)).toEqual([200, holders]);
    }
    await expect.poll(async () => (await getReadiness(first)).json.database.replica_lag_ms).toBeGreaterThan(1_000);
    expect(await getReadiness(first)).toMatchObject({ status: 200, json: { database: { reads_from: "primary" } } });
  } finally {
    await servers.resumeReplay();
  }
  await expect.poll(() => readFrom(first)).toBe("replica");
  expect(await readHolders(first)).toEqual([200, 23]);
});

test("C6-70 a live message over a late replica is not delayed, and no cached response is older than the message", async () => {
  const feed = first.read.deps.liveFeed;
  await feed.join();
  try {
    await readHolders(first);
    await servers.pauseReplay();
    for (const holders of [31, 32]) {
      const id = await commit(first, holders);
      await expect.poll(() => feed.newest(), { interval: 1 }).toBe(id);
      expect(await readHolders(first)).toEqual([200, holders]);
    }
  } finally {
    feed.leave();
    await servers.resumeReplay();
  }
});

test("C3-72 while the primary is down, reads continue, writes answer 503 with a reason, and readiness separates both", async () => {
  await commit(first, 41);
  await expect.poll(() => readHolders(first)).toEqual([200, 41]);
  await expect.poll(() => readFrom(first)).toBe("replica");
  await servers.kill("primary");
  try {
    for (let count = 0; count < 20; count++) expect(await readHolders(first)).toEqual([200, 41]);
    await expect.poll(async () => (await getReadiness(first)).status).toBe(503);
    const reads = await getReadiness(first, "?for=reads");
    expect([reads.status, reads.json.ready, reads.json.database.reads_from]).toEqual([200, true, "replica"]);
    await expect
      .poll(async () => (await getReadiness(first, "?for=writes")).json)
      .toMatchObject({
        ready: false,
        checks: { writes: { ok: false, reason: "The primary database does not answer." } },
      });
    expect((await getReadiness(first, "?for=writes")).status).toBe(503);
    const answer = await first.read.app.inject({
      method: "POST",
      url: "/api/v1/launchpad/intents",
      headers: { authorization: "Bearer slip_any-key", "idempotency-key": "1" },
      payload: {},
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, "storage_unavailable"]);
  } finally {
    await servers.restart("primary");
  }
  await expect.poll(async () => (await getReadiness(first, "?for=writes")).status).toBe(200);
  await commit(first, 42);
  await expect.poll(() => readHolders(first)).toEqual([200, 42]);
});

test("C3-72 without the primary, a replica that lacks a change answers no read, and neither does one beyond the limit", async () => {
  await commit(first, 51);
  await expect.poll(() => readHolders(first)).toEqual([200, 51]);
  const strict = await open({ DATABASE_READ_MAX_LAG_MS: "1000" });
  await expect.poll(() => readFrom(strict)).toBe("replica");
  await servers.pauseReplay();
  await commit(first, 52);
  await expect.poll(() => readHolders(first)).toEqual([200, 52]);
  await servers.kill("primary");
  try {
    const read = async (one: Process) => {
      const { status, json } = await one.read.get(`/tokens?q=${randomUUID()}`);
      return [status, json.error?.code];
    };
    await expect.poll(() => read(first)).toEqual([503, "storage_unavailable"]);
    await expect.poll(async () => (await getReadiness(first, "?for=reads")).status).toBe(503);
    await expect.poll(() => read(strict)).toEqual([503, "storage_unavailable"]);
  } finally {
    await servers.resumeReplay();
    await servers.restart("primary");
  }
  await expect.poll(() => readHolders(strict)).toEqual([200, 52]);
});

/** Creates an account. @returns the function that publishes businesses of the account, and returns their ids. */
async function createPublisher({ db, read }: Process): Promise<(name: string) => Promise<string>> {
  const ids = createIds(systemClock);
  const { key, hash, prefix } = createApiKeySecret(ids);
  const account = { accountId: ids.uuid(), keyId: ids.uuid(), name: "Ada", keyName: "key" };
  await createAccount(db.api as never, { ...account, hash, prefix, scopes: [] });
  return async (name) => {
    const answer = await read.app.inject({
      method: "POST",
      url: "/api/v1/launchpad/businesses",
      headers: { authorization: `Bearer ${key}`, "idempotency-key": randomUUID() },
      payload: { ...bakery, name },
    });
    expect(answer.statusCode).toBe(201);
    return answer.json().id;
  };
}

test("C3-73 every process shows a published business at once, also over a late replica", async () => {
  const other = await open();
  await expect.poll(() => readFrom(other)).toBe("replica");
  const publish = await createPublisher(first);
  const list = async ({ read }: Process) => (await read.get("/directory")).json.items.map(({ id }: any) => id);
  expect(await list(other)).toEqual([]);
  await servers.pauseReplay();
  try {
    for (const name of ["First Bakery", "Second Bakery"]) {
      const id = await publish(name);
      expect(await list(other)).toContain(id);
      expect(await list(first)).toContain(id);
    }
  } finally {
    await servers.resumeReplay();
  }
});

test("C3-72 while the primary is down, a process serves every public read, also the ones that it has not served before", async () => {
  const publish = await createPublisher(first);
  const business = await publish("First Bakery");
  await publish("Second Bakery");
  // Stores the key of the cursors.
  expect((await first.read.get("/directory?limit=1")).json.next_cursor).not.toBeNull();
  const other = await open();
  await expect.poll(() => readFrom(other)).toBe("replica");
  await servers.kill("primary");
  try {
    const statuses = new Map<string, number>();
    for (const path of [
      ...["/tokens", `/tokens/${token}`, `/tokens/${token}/trades`, `/tokens/${token}/candles`],
      ...[`/tokens/${token}/holders`, "/gallery", `/wallets/${token}`, "/analytics", "/config"],
      ...["/businesses?limit=1", `/businesses/${business}`, "/directory?limit=1"],
    ]) {
      statuses.set(path, (await other.read.get(path)).status);
    }
    const ofSite = ["public-signals-latest", "public-signals", "signal-records"].map(
      (name) => `/api/trading-bot/${name}`,
    );
    for (const url of ["/api/markets", ...ofSite]) statuses.set(url, (await other.read.app.inject(url)).statusCode);
    expect([...statuses].filter(([, status]) => status !== 200)).toEqual([]);
    expect((await other.read.app.inject(`/media/${"ab".repeat(32)}.webp`)).statusCode).toBe(404);
  } finally {
    await servers.restart("primary");
  }
});

test("C3-78 after the promotion of a replica that lacks the last change, a process continues with the new primary", async () => {
  const pair = await startReplicatedPostgres();
  onTestFinished(() => pair.stop());
  const address = await startMovableProxy(pair.urls.primary);
  onTestFinished(() => address.stop());
  const urls = { DATABASE_URL: address.url, DATABASE_READ_URL: pair.urls.replica };
  const state = openDatabase(parseConfig({ RPC_URL: "http://127.0.0.1:9", ...urls }), pino({ level: "silent" }));
  await insertIndex(state);
  await insertToken(state, 1);
  await state.close();
  const one = await open(urls);
  await commit(one, 81);
  await expect.poll(() => readHolders(one)).toEqual([200, 81]);
  await expect.poll(() => readFrom(one)).toBe("replica");

  await pair.disconnect();
  await commit(one, 82);
  await expect.poll(() => readHolders(one)).toEqual([200, 82]);
  await pair.kill("primary");
  await pair.promote();
  address.moveTo(pair.urls.replica);
  await expect.poll(() => readHolders(one)).toEqual([200, 81]);
  await expect.poll(async () => (await getReadiness(one, "?for=writes")).status).toBe(200);
  await commit(one, 83);
  await expect.poll(() => readHolders(one)).toEqual([200, 83]);
  await one.stop();
  opened.splice(opened.indexOf(one), 1);
});
