import { expect, test, vi } from "vitest";
import { repeat } from "./job.ts";
import { createMetrics } from "./metrics.ts";

/** The series of a metric, without comments. */
async function readSeries({ registry }: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  const text = await registry.metrics();
  return text.split("\n").filter((line) => line.startsWith(name));
}

test("a process has no series of the parts that it does not run", async () => {
  const metrics = createMetrics();
  for (const name of [
    "slipway_readiness_check",
    "slipway_index_lag",
    "slipway_database_",
    "slipway_outbox_",
    "slipway_disk_",
    "slipway_history_up",
  ])
    expect(await readSeries(metrics, name)).toEqual([]);
});

test("each collection reads readiness, pools, outbox and disk", async () => {
  const metrics = createMetrics();
  Object.assign(metrics.health, {
    readiness: async () => ({ checks: { database: true, writes: false }, lagSeconds: 3 }),
    pools: () => [{ pool: "api", used: 2, idle: 1, waiting: 7 }],
    outbox: () => ({ readAgeSeconds: 0.5, undelivered: 12 }),
    disk: async () => ({ freeBytes: 10, sizeBytes: 100 }),
  });
  expect(await readSeries(metrics, "slipway_readiness_check")).toEqual([
    'slipway_readiness_check{check="database"} 1',
    'slipway_readiness_check{check="writes"} 0',
  ]);
  expect(await readSeries(metrics, "slipway_index_lag")).toEqual(['slipway_index_lag_seconds{role="api"} 3']);
  expect(await readSeries(metrics, "slipway_database_")).toEqual([
    'slipway_database_connections{pool="api",state="used"} 2',
    'slipway_database_connections{pool="api",state="idle"} 1',
    'slipway_database_waiting_requests{pool="api"} 7',
  ]);
  expect(await readSeries(metrics, "slipway_outbox_")).toEqual([
    'slipway_outbox_read_age_seconds{role="api"} 0.5',
    'slipway_outbox_undelivered{role="api"} 12',
  ]);
  expect(await readSeries(metrics, "slipway_disk_")).toEqual([
    'slipway_disk_size_bytes{folder="DATA_DIR"} 100',
    'slipway_disk_free_bytes{folder="DATA_DIR"} 10',
  ]);
});

test("the runs of a job count by outcome", async () => {
  const metrics = createMetrics();
  let runs = 0;
  const clock = { sleep: async () => undefined } as never;
  const log = { warn: () => undefined } as never;
  const run = async (signal: AbortSignal) => {
    runs++;
    if (runs === 1) throw new Error("the first run fails");
    if (runs > 2) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return true;
  };
  const job = repeat({ clock, log, metrics }, { name: "mails", pauseMs: 1, run });
  await vi.waitFor(() => expect(runs).toBe(3));
  expect(await readSeries(metrics, "slipway_job_runs_total")).toEqual([
    'slipway_job_runs_total{job_name="mails",outcome="failed"} 1',
    'slipway_job_runs_total{job_name="mails",outcome="done"} 1',
  ]);
  await job.stop();
});
