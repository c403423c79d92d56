import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnChild, spawnListener } from "@slipway/dev/process/spawnChild";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../support/createTestFolder.ts";
import { openTestDatabase, type TestDatabase } from "../support/database/openTestDatabase.ts";
import { requireProgram } from "../support/findProgram.ts";
import { pauseClient } from "../support/pauseClient.ts";
import { type MainProcess, startMain } from "../support/security/startMain.ts";
import { withoutLimits } from "../support/security/startTestStack.ts";
import { insert, insertIndex, toAddress } from "../support/server/rows.ts";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  const config = parseConfig({ DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:9" });
  db = openDatabase(config, pino({ level: "silent" }));
  await insertIndex(db);
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/** Reads the database, and needs neither a chain nor its index. */
const path = "/api/v1/launchpad/directory";

let apis: [MainProcess, MainProcess];
let balancerUrl: string;

beforeEach(async () => {
  const environment = () => ({
    DATABASE_URL: database.url,
    RPC_URL: "http://127.0.0.1:9",
    ROLES: "api",
    TRUST_PROXY: "loopback",
    DRAIN_SECONDS: "4",
    ...withoutLimits,
  });
  apis = await Promise.all([startMain(environment), startMain(environment)]);
  balancerUrl = await startHaproxy(apis.map(({ siteUrl }) => new URL(siteUrl).host));
});

/** Starts HAProxy with the shipped configuration before these servers. @returns its URL. */
async function startHaproxy(hosts: readonly string[]): Promise<string> {
  onTestFinished(async () => void (await Promise.all(apis.map((api) => api.kill()))));
  const dir = createTestFolder();
  const shipped = readFileSync(new URL("../../deploy/haproxy.cfg", import.meta.url), "utf8");
  const logPath = join(dir, "haproxy.log");
  const { child, port } = await spawnListener({
    title: "HAProxy",
    logPath,
    spawn: (listenPort) => {
      const file = join(dir, "haproxy.cfg");
      const configuration = shipped
        // Fits the limit of file descriptors of any machine.
        .replace("maxconn 5000", "maxconn 500")
        .replace("127.0.0.1:8080", `127.0.0.1:${listenPort}`)
        .replaceAll("127.0.0.1:8787", hosts[0]!)
        .replaceAll("127.0.0.1:8788", hosts[1]!);
      writeFileSync(file, configuration);
      const command = requireProgram("haproxy");
      return spawnChild({
        dir,
        name: "haproxy",
        command,
        args: ["-db", "-f", file],
        endSignal: "SIGTERM",
        endOrder: 1,
        logPath,
      });
    },
    isReady: async (listenPort) =>
      (await fetch(`http://127.0.0.1:${listenPort}/healthz`).catch(() => null))?.ok === true,
  });
  onTestFinished(() => child.stop());
  return `http://127.0.0.1:${port}`;
}

/** Reads through the balancer until it is stopped. */
function startReaders(count: number) {
  const failures: string[] = [];
  let served = 0;
  let isRunning = true;
  const read = async () => {
    while (isRunning) {
      try {
        const answer = await fetch(`${balancerUrl}${path}`);
        const text = await answer.text();
        if (answer.status === 200) served++;
        else failures.push(`${answer.status} ${text}`);
      } catch (error) {
        failures.push(String((error as Error).cause ?? error));
      }
      await pauseClient();
    }
  };
  const readers = Array.from({ length: count }, read);
  return {
    served: () => served,
    stop: async () => {
      isRunning = false;
      await Promise.all(readers);
      return failures;
    },
  };
}

test("C3-76 SIGTERM: a process is not ready before it closes its listener, and no request through the balancer fails", async () => {
  const readers = startReaders(4);
  await expect.poll(readers.served).toBeGreaterThan(100);
  const [leaving] = apis;
  const before = readers.served();
  leaving.child.kill("SIGTERM");
  await expect
    .poll(async () => (await fetch(`${leaving.siteUrl}/readyz?for=reads`)).json())
    .toMatchObject({ ready: false, checks: { process: { ok: false, reason: "The process is stopping." } } });
  expect((await fetch(`${leaving.siteUrl}/readyz?for=writes`)).status).toBe(503);
  // It still serves requests that arrive.
  expect((await fetch(`${leaving.siteUrl}${path}`)).status).toBe(200);
  await expect.poll(() => leaving.child.exitCode).toBe(0);
  await expect.poll(readers.served).toBeGreaterThan(before + 100);
  expect(await readers.stop()).toEqual([]);
});

test("C3-77 a killed API process fails no read through the balancer", async () => {
  const readers = startReaders(4);
  await expect.poll(readers.served).toBeGreaterThan(100);
  await apis[0].kill();
  const before = readers.served();
  await expect.poll(readers.served).toBeGreaterThan(before + 200);
  expect(await readers.stop()).toEqual([]);
});

const retracted = { above_block: 1, trades: [], launches: [], tokens: [toAddress(1)] };

/** Commits events one after the other, as an indexer does, until it is stopped. */
function startPublisher() {
  let isRunning = true;
  const publish = async () => {
    while (isRunning) {
      await db.indexer.query("update chain.status set updated_at = now()");
      await insert(db, "chain.outbox", { block_number: 1, kind: "retracted", payload: retracted });
      await db.indexer.query("select pg_notify('slipway_outbox', '')");
      await pauseClient();
    }
  };
  const finished = publish();
  return {
    stop: async () => {
      isRunning = false;
      await finished;
    },
  };
}

test("C6-71 streams through the balancer resume at another server when theirs is killed, without a gap or a duplicate", async () => {
  const publisher = startPublisher();
  onTestFinished(() => publisher.stop());
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  // The balancer gives each server one of two streams.
  const streams = Array.from({ length: 2 }, () => {
    const cursors: number[] = [];
    const follow = async () => {
      const baseUrl = `${balancerUrl}/api/v1/launchpad`;
      for await (const { cursor } of streamEvents({ baseUrl, signal: ended.signal })) cursors.push(Number(cursor));
    };
    void follow().catch(() => undefined);
    return cursors;
  });
  const haveMore = (counts: number[]) => streams.every((cursors, index) => cursors.length > counts[index]! + 50);
  await expect.poll(() => haveMore([0, 0])).toBe(true);
  await apis[0].kill();
  const atDeath = streams.map((cursors) => cursors.length);
  await expect.poll(() => haveMore(atDeath)).toBe(true);
  for (const cursors of streams) {
    expect(cursors).toEqual(Array.from(cursors, (_, index) => cursors[0]! + index));
  }
});
