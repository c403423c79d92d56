import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { systemClock } from "../../systemClock.ts";
import { parseConfig } from "../../config.ts";
import { openDatabase } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { chargeRateBuckets, forgetFullBuckets } from "../../db/rateBuckets.ts";
import type { Deps } from "../../deps.ts";
import { createLimits, type Limits } from "./limits.ts";
import { createMetrics } from "../../metrics.ts";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

const folder = temporaryFolder();
const log = pino({ level: "silent" });
let postgres: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  postgres = await startPostgres({ dir: folder.path, durable: false });
  const db = openDatabase(configOf(postgres.url), log);
  await migrate(db.indexer, log);
  await db.close();
}, 60_000);
afterAll(async () => {
  await postgres?.stop();
  folder.remove();
});

/** Patient enough for a busy machine, unless a test is about that. */
const configOf = (databaseUrl: string, patienceMs = 30_000) =>
  parseConfig({
    LIMIT_PATIENCE_MS: String(patienceMs),
    DATABASE_URL: databaseUrl,
    RPC_URL: "http://127.0.0.1:9",
    READ_LIMIT_PER_SECOND: "1",
    READ_LIMIT_BURST: "100",
  });

type Process = { limits: Limits; deps: Deps };

/** The limits as one process has them. */
async function openProcess({ url = postgres.url, patienceMs = 30_000 } = {}): Promise<Process> {
  const config = configOf(url, patienceMs);
  const db = openDatabase(config, log);
  const deps = { config, log, clock: systemClock, db, metrics: createMetrics() } as unknown as Deps;
  const limits = createLimits(deps);
  onTestFinished(async () => {
    await limits.stop();
    await db.close();
  });
  // A connection that is there already.
  if (url === postgres.url) await vi.waitFor(() => db.api.query("select 1"), 60_000);
  return { limits, deps };
}

/** How many of so many at once are admitted. */
async function admitted({ limits }: Process, subject: string, count: number): Promise<number> {
  const all = await Promise.allSettled(Array.from({ length: count }, () => limits.admit("read", subject)));
  return all.filter(({ status }) => status === "fulfilled").length;
}

async function settlements({ deps }: Process, outcome: string): Promise<number> {
  const { values } = await deps.metrics.rateLimitSettlements.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

const grown = (since: number) => Math.ceil(((performance.now() - since) / 1000) * 1.1);

describe("a limit that processes share", () => {
  it("is the burst for all of them together, and at the most a tenth of it more for each", async () => {
    const processes = await Promise.all([openProcess(), openProcess(), openProcess()]);
    const since = performance.now();
    const counts = await Promise.all(processes.map((process) => admitted(process, "192.0.2.1", 150)));
    const total = counts.reduce((sum, count) => sum + count);
    expect(total).toBeGreaterThanOrEqual(100);
    expect(total).toBeLessThanOrEqual(100 + 3 * 10 + grown(since));
  });

  it("is known to a process that begins later", async () => {
    const since = performance.now();
    const first = await openProcess();
    expect(await admitted(first, "192.0.2.2", 200)).toBeGreaterThanOrEqual(100);
    await first.limits.stop();
    // It has an advance before it has heard anything.
    expect(await admitted(await openProcess(), "192.0.2.2", 200)).toBeLessThanOrEqual(10 + grown(since));
  });

  it("costs no statement below a half of the advance, and few beyond", async () => {
    const process = await openProcess();
    for (let n = 0; n < 5; n++) await process.limits.admit("read", "192.0.2.3");
    await process.limits.stop();
    expect(await settlements(process, "shared")).toBe(0);
    for (let n = 0; n < 90; n++) await process.limits.admit("read", "192.0.2.3");
    await process.limits.stop();
    expect(await settlements(process, "shared")).toBeLessThanOrEqual(90 / 5);
  });
});

describe("without the database", () => {
  it("each process goes on alone with the whole limit, and nobody waits long", async () => {
    const process = await openProcess({ url: "postgres://nobody@127.0.0.1:9/nothing" });
    const since = performance.now();
    const count = await admitted(process, "192.0.2.4", 150);
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(100 + grown(since));
    expect(await settlements(process, "shared")).toBe(0);
    expect(await settlements(process, "alone")).toBeGreaterThan(0);
  });

  it("a statement that hangs holds nobody up for more than a moment", async () => {
    const { limits, deps } = await openProcess({ patienceMs: 100 });
    const blocker = await deps.db.indexer.connect();
    await blocker.query("begin");
    await blocker.query("lock table app.rate_buckets in access exclusive mode");
    try {
      const count = await Promise.race([
        admitted({ limits, deps }, "192.0.2.5", 50),
        delay(60_000, "still waiting", { ref: false }),
      ]);
      expect(count).toBe(50);
    } finally {
      await blocker.query("rollback");
      blocker.release();
    }
  });
});

describe("shared buckets", () => {
  it("add up by the database's clock, whoever charges them, and go when they are full", async () => {
    const { deps } = await openProcess();
    const charges = ["b", "a", "c"].map((key) => ({ key: `test:${key}`, refillMs: 60_000 }));
    await chargeRateBuckets(deps.db.api, charges);
    const second = await chargeRateBuckets(deps.db.api, [
      { key: "test:a", refillMs: 30_000 },
      { key: "test:d", refillMs: 0 },
    ]);
    expect(second.get("test:a")).toBeGreaterThan(80_000);
    expect(second.get("test:a")).toBeLessThanOrEqual(90_000);
    expect(second.get("test:d")).toBe(0);
    await forgetFullBuckets(deps.db.api);
    const { rows } = await deps.db.api.query("select key from app.rate_buckets where key like 'test:%' order by key");
    expect(rows.map(({ key }) => key)).toEqual(["test:a", "test:b", "test:c"]);
  });

  it("are charged in one order: statements over the same keys never deadlock", async () => {
    const { deps } = await openProcess();
    const keys = Array.from({ length: 200 }, (_, n) => `order:${n}`);
    const rounds = Array.from({ length: 40 }, (_, round) =>
      chargeRateBuckets(
        deps.db.api,
        (round % 2 ? keys : keys.toReversed()).map((key) => ({ key, refillMs: 1_000 })),
      ),
    );
    await expect(Promise.all(rounds)).resolves.toHaveLength(40);
  });
});
