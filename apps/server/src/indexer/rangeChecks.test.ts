import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fakeRpc, hex, toHash } from "../../../../tests/support/server/fakeRpc.ts";
import { openSimulationIndex, type SimulationIndex } from "../../../../tests/support/simulation/openSimulationIndex.ts";
import { createMetrics } from "../metrics.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { createIndexState } from "./indexState.ts";
import { createRangeChecks } from "./rangeChecks.ts";
import type { Sources } from "./sources.ts";
import { toEventsKey } from "./store/unconfirmedRanges.ts";

let index: SimulationIndex;

beforeAll(async () => {
  index = await openSimulationIndex();
});
afterAll(async () => {
  await index?.close();
});

test("C3-09 checks unconfirmed ranges with one request at a time and a fiftieth of the request budget", async () => {
  const { pool } = index;
  await pool.query(
    `insert into chain.checkpoint (chain_id, sources, from_block, block_number, block_hash, block_time, fence)
     values (1, '', 1, 1000, '', 0, 7)`,
  );
  await pool.query(
    `insert into chain.unconfirmed_ranges (from_block, to_block, logs, host, events)
     select n * 10 + 1, n * 10 + 10, 0, 'one.example', $1 from generate_series(0, 9) n`,
    [toEventsKey([])],
  );
  // A row from a version that indexed other events: its log count is not comparable.
  await pool.query("insert into chain.unconfirmed_ranges values (101, 110, 5, 'one.example', 'others')");
  const { rpc, asked } = fakeRpc(({ method, params }) => {
    if (method === "eth_getLogs") return [];
    const number = Number(params[0]);
    const hash = toHash(number);
    const parentHash = toHash(number - 1);
    return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [] };
  });
  const hosts = ["one.example", "two.example"];
  Object.assign(rpc, { endpoints: 2, host: (endpoint: number) => hosts[endpoint], listHealthy: () => [0, 1] });
  let now = 0;
  const context = {
    pool,
    rpc,
    metrics: createMetrics(),
    log: pino({ level: "silent" }),
    clock: { now: () => now },
    fencingToken: 7,
    signal: new AbortController().signal,
    events: { topics: [] },
    state: createIndexState({
      deployments: [],
      openingFactories: [],
      gasStation: null,
      ethUsd: null,
    } as unknown as Sources),
  } as unknown as IndexerContext;
  // Each request contains two calls, the logs and the last header: four calls a second are two requests.
  const checks = createRangeChecks(200, context.metrics);
  const { logChecks } = context.metrics;
  const countComplete = async () =>
    (await logChecks.get()).values.find(({ labels }) => labels.check === "count" && labels.outcome === "complete")
      ?.value;
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (let done = 1; done <= 10; done++) {
    await vi.waitFor(async () => {
      checks.continue(context);
      expect(await countComplete()).toBe(done);
    });
    await settle();
    now += 499;
    for (let i = 0; i < 10; i++) {
      checks.continue(context);
      await settle();
    }
    expect(asked).toHaveLength(done);
    now += 1;
  }
  await checks.stop();
  const { rows } = await pool.query("select events from chain.unconfirmed_ranges");
  expect(rows).toEqual([{ events: "others" }]);
  expect(asked.every((calls) => calls.length === 2)).toBe(true);
});
