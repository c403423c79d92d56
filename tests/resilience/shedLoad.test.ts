import { parseConfig } from "@slipway/server/config";
import { type RunningServer, startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { unlimited } from "../support/conformance/unlimited.ts";
import { pauseClient } from "../support/pauseClient.ts";
import { type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

let servers: ApiServers;
let server: RunningServer | null = null;
const api = "/api/v1/launchpad";
/** Needs no database. */
const picture = `${api}/qr.png?text=0x${"ab".repeat(20)}`;

beforeAll(async () => {
  servers = await openApiServers();
});
afterEach(async () => {
  await server?.stop();
  server = null;
});
afterAll(() => servers?.close());

/** Runs in this process, so that its event loop can be blocked. */
async function open(settings: Record<string, string>): Promise<void> {
  server = await startServer({
    config: parseConfig({
      DATABASE_URL: servers.databaseUrl,
      RPC_URL: "http://127.0.0.1:9",
      ROLES: "api",
      PORT: "0",
      ...unlimited,
      ...settings,
    }),
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
}

async function ask(path: string, apiKey = servers.apiKey): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${server!.url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const pollOptions = { timeout: 60_000, interval: 50 };

/** Waits until the server sheds load, and checks its answers. */
async function expectShedding(reason: string): Promise<void> {
  const shed = await vi.waitFor(async () => {
    const answer = await ask(picture);
    expect(answer.status).toBe(503);
    return answer;
  }, pollOptions);
  expect(JSON.parse(shed.text).error).toMatchObject({ code: "overloaded", retryable: true });
  expect(shed.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  expect(shed.headers.get("cache-control")).toBe("no-store");
  // Operational endpoints are still answered.
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/readyz")).text).toContain('"checks"');
  const metrics = await ask("/metrics");
  expect(metrics.status).toBe(200);
  expect(metrics.text).toMatch(new RegExp(`slipway_shed_requests_total\\{reason="${reason}"\\} [1-9]`));
}

async function expectServing(): Promise<void> {
  await vi.waitFor(async () => expect((await ask(picture)).status).toBe(200), pollOptions);
}

describe("an overloaded server", () => {
  it("sheds load while its event loop lags, and serves again after", async () => {
    await open({ MAX_EVENT_LOOP_DELAY_MS: "10" });
    await expectServing();
    const holdUp = setInterval(() => {
      // CPU time, which takes longer on a busy machine.
      const before = process.threadCpuUsage();
      for (let usedMs = 0; usedMs < 60; ) {
        const { user, system } = process.threadCpuUsage(before);
        usedMs = (user + system) / 1_000;
      }
    }, 1);
    try {
      await expectShedding("eventLoopDelay");
    } finally {
      clearInterval(holdUp);
    }
    await expectServing();
  });

  it("does not shed load while the machine runs something else", async () => {
    await open({ MAX_EVENT_LOOP_DELAY_MS: "150" });
    await expectServing();
    // The thread sleeps without computing, for longer than two windows of the measurement.
    const held = new Int32Array(new SharedArrayBuffer(4));
    const holdUp = setInterval(() => Atomics.wait(held, 0, 0, 500), 1);
    try {
      for (let n = 0; n < 10; n++) expect((await ask(picture)).status).toBe(200);
    } finally {
      clearInterval(holdUp);
    }
  });

  it("sheds load while its heap is full", async () => {
    await open({ MAX_HEAP_BYTES: "1000000" });
    await expectShedding("heapUsedBytes");
  });

  it("C3-02 sheds load while too many requests wait for the database, and serves again after", async () => {
    await open({ DATABASE_POOL_SIZE: "2" });
    await expectServing();
    const keys = await Promise.all(Array.from({ length: 4 }, async () => (await servers.newKey()).apiKey));
    const blocker = await servers.pool.connect();
    await blocker.query("begin");
    await blocker.query("lock table app.intents in access exclusive mode");
    let isBlocked = true;
    const waiting = Array.from({ length: 360 }, async (_, n) => {
      while (isBlocked) {
        const { status } = await ask(`${api}/intents`, keys[n % keys.length]);
        expect([200, 503]).toContain(status);
        await pauseClient();
      }
    });
    try {
      await expectShedding("databaseQueue");
    } finally {
      isBlocked = false;
      await blocker.query("rollback");
      blocker.release();
    }
    await Promise.all(waiting);
    await expectServing();
    await vi.waitFor(async () => expect((await ask(`${api}/intents`)).status).toBe(200), pollOptions);
  });
});
