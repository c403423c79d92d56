import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../../tests/support/database/openTestDatabase.ts";
import type { Clock } from "../../clock.ts";
import { parseConfig } from "../../config.ts";
import { openDatabase } from "../../db/database.ts";
import { createMetrics } from "../../metrics.ts";
import type { Runtime } from "../../runtime.ts";
import { systemClock } from "../../systemClock.ts";
import { createLimits, type Limits } from "./limits.ts";
import { RateLimited } from "./policies.ts";
import { deleteEndedWindows } from "./queries.ts";

const log = pino({ level: "silent" });
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

/** Windows of 100 seconds and quotas of 100: no window ends during a test. A batch has 5. */
const createConfig = (databaseUrl: string, env: Record<string, string> = {}) =>
  parseConfig({
    // Longer than a busy machine needs, except in tests of this setting.
    RATE_LIMIT_STORE_TIMEOUT_MS: "30000",
    DATABASE_URL: databaseUrl,
    RPC_URL: "http://127.0.0.1:9",
    READ_LIMIT_PER_SECOND: "1",
    READ_LIMIT_BURST: "100",
    WRITE_LIMIT_PER_SECOND: "1",
    WRITE_LIMIT_BURST: "100",
    ...env,
  });
const windowMs = 100_000;

type Process = { limits: Limits; deps: Pick<Runtime, "config" | "clock" | "log" | "metrics" | "db"> };
type Options = { url?: string; env?: Record<string, string>; clock?: Clock };

/** Opens the limits of one process. */
async function openProcess({ url = database.url, env, clock = systemClock }: Options = {}): Promise<Process> {
  const config = createConfig(url, env);
  const db = openDatabase(config, log);
  const deps = { config, log, clock, db, metrics: createMetrics() };
  const limits = createLimits(deps);
  onTestFinished(async () => {
    await limits.stop();
    await db.close();
  });
  // Waits for an open connection.
  if (url === database.url) await vi.waitFor(() => db.api.query("select 1"), 60_000);
  return { limits, deps };
}

/** Returns the number of allowed requests among concurrent requests. */
async function countAdmitted(
  { limits }: Process,
  subject: string,
  count: number,
  policy: "write" | "read" = "write",
): Promise<number> {
  const all = await Promise.allSettled(Array.from({ length: count }, () => limits.consume(policy, subject)));
  const refusals = all.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(refusals.filter((reason) => !(reason instanceof RateLimited))).toEqual([]);
  return count - refusals.length;
}

async function countDecisions({ deps }: Process, outcome: string): Promise<number> {
  const { values } = await deps.metrics.rateLimitSettlements.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

describe("a limit that processes share", () => {
  it("is the quota for all of them together", async () => {
    const processes = await Promise.all([openProcess(), openProcess(), openProcess()]);
    const counts = await Promise.all(processes.map((process) => countAdmitted(process, "192.0.2.1", 150)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(100);
  });

  it("counts in a window that another process opens while the request waits for it", async () => {
    const { limits, deps } = await openProcess();
    const opener = await deps.db.indexer.connect();
    const key = "write:192.0.2.16";
    try {
      await opener.query("begin");
      await opener.query("insert into app.rate_limits values ($1, 95, 0)", [key]);
      const consumed = limits.consume("write", "192.0.2.16");
      await vi.waitFor(async () => {
        const { rows } = await opener.query("select from pg_locks where not granted");
        expect(rows).toHaveLength(1);
      }, 60_000);
      const end = "(extract(epoch from clock_timestamp()) * 1000)::bigint + $2";
      await opener.query(`update app.rate_limits set expire = ${end} where key = $1`, [key, windowMs]);
      await opener.query("commit");
      expect((await consumed).remaining).toBe(4);
    } finally {
      opener.release(true);
    }
  });

  it("applies to a process that starts later", async () => {
    const first = await openProcess();
    expect(await countAdmitted(first, "192.0.2.2", 200)).toBe(100);
    await first.limits.stop();
    expect(await countAdmitted(await openProcess(), "192.0.2.2", 200)).toBe(0);
  });

  it("queries PostgreSQL once for each batch, and never when nothing is left", async () => {
    const process = await openProcess();
    for (let n = 1; n <= 100; n++) {
      const quota = await process.limits.consume("write", "192.0.2.3");
      expect([quota.remaining, quota.resetMs <= windowMs]).toEqual([100 - n, true]);
      expect(await countDecisions(process, "shared")).toBe(Math.ceil(n / 5));
    }
    expect(await countAdmitted(process, "192.0.2.3", 200)).toBe(0);
    expect(await countDecisions(process, "shared")).toBe(20);
    const { values } = await process.deps.metrics.rateLimited.get();
    expect(values).toMatchObject([{ labels: { policy: "write" }, value: 200 }]);
  });

  it("allows to one process all but the rest of another process's batch", async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    await one.limits.consume("write", "192.0.2.4");
    expect(await countAdmitted(other, "192.0.2.4", 200)).toBe(95);
    expect(await countAdmitted(one, "192.0.2.4", 200)).toBe(4);
  });

  it("counts each subject and each policy by itself", async () => {
    const process = await openProcess();
    expect(await countAdmitted(process, "192.0.2.5", 101)).toBe(100);
    await process.limits.consume("write", "192.0.2.6");
    await process.limits.consume("account", "192.0.2.5");
    process.limits.requireRemaining("auth", "192.0.2.5");
  });

  it("allows its quota exactly even if it is not a multiple of a batch", async () => {
    const process = await openProcess({ env: { WRITE_LIMIT_BURST: "47" } });
    expect(await countAdmitted(process, "192.0.2.7", 100)).toBe(47);
    const small = await openProcess({ env: { UPLOAD_LIMIT_BURST: "1" } });
    await small.limits.consume("upload", "192.0.2.7");
    await expect(small.limits.consume("upload", "192.0.2.7")).rejects.toThrow(RateLimited);
  });

  it("allows requests in the next window, even if windows are shorter than a query", async () => {
    const process = await openProcess({ env: { WRITE_LIMIT_BURST: "1", WRITE_LIMIT_PER_SECOND: "1000000" } });
    for (let n = 0; n < 20; n++) {
      await vi.waitFor(() => process.limits.consume("write", "192.0.2.8"), { timeout: 60_000, interval: 1 });
    }
  });

  it("refuses before a credential is looked up once nothing is left", async () => {
    const { limits } = await openProcess();
    for (let n = 0; n < 100; n++) {
      limits.requireRemaining("auth", "192.0.2.9");
      await limits.consume("auth", "192.0.2.9");
    }
    expect(() => limits.requireRemaining("auth", "192.0.2.9")).toThrow(RateLimited);
  });

  it("does not refuse requests because of a window that another clock has opened, and deletes such windows", async () => {
    const { limits, deps } = await openProcess();
    const row = ["write:192.0.2.10", 1_000, Date.now() + 3_600_000];
    await deps.db.api.query("insert into app.rate_limits values ($1, $2, $3)", row);
    expect((await limits.consume("write", "192.0.2.10")).remaining).toBe(99);
    await deps.db.api.query("update app.rate_limits set expire = $1", [row[2]]);
    await deleteEndedWindows(deps.db.api, windowMs);
    expect((await deps.db.api.query("select from app.rate_limits")).rows).toEqual([]);
  });

  it("counts in one window while the clock of a process is minutes ahead", async () => {
    const [one, ahead] = [
      await openProcess(),
      await openProcess({ clock: { ...systemClock, now: () => Date.now() + 300_000 } }),
    ];
    expect(await countAdmitted(ahead, "192.0.2.15", 30)).toBe(30);
    expect(await countAdmitted(one, "192.0.2.15", 200)).toBe(70);
    expect(await countAdmitted(ahead, "192.0.2.15", 10)).toBe(0);
  });
});

describe("requests of one account that are being handled", () => {
  it("are limited to 50 for each connection of a pool; other accounts and later requests are served", async () => {
    const { limits } = await openProcess({ env: { DATABASE_POOL_SIZE: "2" } });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const handled = Array.from({ length: 100 }, () => limits.limitConcurrency("account", () => end));
    await expect(limits.limitConcurrency("account", async () => "served")).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(await limits.limitConcurrency("other", async () => "served")).toBe("served");
    resolve();
    await Promise.all(handled);
    const failed = limits.limitConcurrency("account", () => Promise.reject(new Error("failed")));
    await expect(failed).rejects.toThrow("failed");
    const again = Array.from({ length: 100 }, () => limits.limitConcurrency("account", async () => "served"));
    expect(new Set(await Promise.all(again))).toEqual(new Set(["served"]));
  });
});

describe("without PostgreSQL", () => {
  it("each process allows the whole quota", async () => {
    const process = await openProcess({ url: "postgres://none@127.0.0.1:9/nothing" });
    expect(await countAdmitted(process, "192.0.2.11", 150)).toBe(100);
    expect(await countDecisions(process, "shared")).toBe(0);
    expect(await countDecisions(process, "local")).toBe(20);
  });

  it("a table that is locked delays a request by RATE_LIMIT_STORE_TIMEOUT_MS, and occupies at most two connections", async () => {
    const process = await openProcess({ env: { RATE_LIMIT_STORE_TIMEOUT_MS: "100" } });
    const blocker = await process.deps.db.indexer.connect();
    await blocker.query("begin");
    await blocker.query("lock table app.rate_limits in access exclusive mode");
    try {
      const subjects = Array.from({ length: 50 }, (_, n) => `198.51.100.${n}`);
      const all = Promise.all(subjects.map((subject) => process.limits.consume("write", subject)));
      // A hang, or a separate wait for each request, would take longer.
      expect(await Promise.race([all, delay(60_000, "still waiting", { ref: false })])).toHaveLength(50);
      expect(await countDecisions(process, "local")).toBe(50);
      const { rows } = await blocker.query("select pid from pg_locks where not granted");
      expect(rows.length).toBeLessThanOrEqual(2);
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
  });

  it("a process shares its limits again a second after PostgreSQL has recovered", async () => {
    const clock = { ...systemClock, now: () => now };
    let now = Date.now();
    const process = await openProcess({ env: { RATE_LIMIT_STORE_TIMEOUT_MS: "100" }, clock });
    await process.deps.db.indexer.query("alter table app.rate_limits rename to hidden");
    await process.limits.consume("write", "192.0.2.12");
    await process.deps.db.indexer.query("alter table app.hidden rename to rate_limits");
    await process.limits.consume("write", "192.0.2.13");
    expect(await countDecisions(process, "local")).toBe(2);
    now += 1_000;
    await vi.waitFor(async () => {
      now += 1_000;
      await process.limits.consume("write", `192.0.2.14 ${now}`);
      expect(await countDecisions(process, "shared")).toBe(1);
    }, 30_000);
  });
});

describe("reads", () => {
  const from = (remoteAddress: string) => ({ headers: {}, socket: { remoteAddress } }) as unknown as IncomingMessage;

  it("are counted by each process for itself, without a query", async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    expect(await countAdmitted(one, "192.0.2.1", 150, "read")).toBe(100);
    expect(await countAdmitted(other, "192.0.2.1", 150, "read")).toBe(100);
    expect([await countDecisions(one, "shared"), await countDecisions(one, "local")]).toEqual([0, 0]);
  });

  it("count equally in cached responses, handlers and handshakes", async () => {
    const { limits } = await openProcess({ env: { READ_LIMIT_BURST: "4" } });
    const request = from("192.0.2.1");
    expect(limits.consumeHotRead(request)).toEqual([]);
    await limits.consumeHandshake(request);
    expect(limits.consumeHotRead(request)).toEqual(["ratelimit", expect.stringMatching(/^"read";r=1;t=[34]$/)]);
    expect(await limits.consume("read", "192.0.2.1")).toMatchObject({ remaining: 0 });
    expect(limits.consumeHotRead(request)).toBe(false);
    await expect(limits.consumeHandshake(request)).rejects.toThrow(RateLimited);
  });
});
