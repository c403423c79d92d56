import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { createRpcPool, type RpcPool } from "@slipway/server/chain/rpcPool";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { backfill } from "@slipway/server/indexer/backfill";
import { allEvents } from "@slipway/server/indexer/events/allEvents";
import { createEventCatalog } from "@slipway/server/indexer/events/eventModule";
import { createLogChecks } from "@slipway/server/indexer/fetch/logChecks";
import { createRangeSize } from "@slipway/server/indexer/fetch/rangeSize";
import type { IndexerContext } from "@slipway/server/indexer/indexerContext";
import { toSources } from "@slipway/server/indexer/sources";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createAccountIds } from "@slipway/server/indexer/store/accountIds";
import { readCheckpoint } from "@slipway/server/indexer/store/checkpoint";
import { acquireFencingToken } from "@slipway/server/indexer/store/leadership";
import { loadIndexState } from "@slipway/server/indexer/store/loadIndexState";
import { openIndex } from "@slipway/server/indexer/store/openIndex";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dumpIndex } from "../support/simulation/dumpIndex.ts";
import { createFaultyPool, type DatabaseFaults } from "../support/simulation/faultyPool.ts";
import { openSimulationIndex, type SimulationIndex } from "../support/simulation/openSimulationIndex.ts";
import { createRandom } from "../support/simulation/random.ts";
import { referenceIndex } from "../support/simulation/reference.ts";
import { createSimulatedChain, type SimulatedChain } from "../support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../support/simulation/simulatedNode.ts";
import { differences } from "../support/simulation/tables.ts";

const blocks = 300;
/** Few blocks, so that there are many batches, each written while the next one is reduced. */
const batchLogs = 25;

const log = pino({ level: "silent" });
const metrics = createMetrics();
const sources = toSources(simulatedManifest);
const events = createEventCatalog(allEvents);
let index: SimulationIndex;
let pool: pg.Pool;

beforeAll(async () => {
  index = await openSimulationIndex();
  pool = index.indexer.indexer;
});
afterAll(async () => {
  await index?.close();
});

function createRpc(chain: SimulatedChain): RpcPool {
  const endpoints = 1;
  const transport = createSimulatedNodes(
    chain,
    endpoints,
    createRandom(5),
    () => noFaults,
    () => [],
  );
  return createRpcPool({
    endpoints,
    transport,
    clock: systemClock,
    log,
    metrics,
    timeoutMs: 60_000,
    requestsPerSecond: 1_000_000,
  });
}

async function openContext(rpc: RpcPool, database: pg.Pool): Promise<IndexerContext> {
  await openIndex(pool, rpc, sources, events);
  const fencingToken = await acquireFencingToken(pool);
  const state = await loadIndexState(pool, sources, events);
  const accountIds = createAccountIds();
  accountIds.reset(state.nextAccountId);
  return {
    ...{
      pool: database,
      pipelined: database,
      rpc,
      clock: systemClock,
      log,
      metrics,
      accountIds,
      fencingToken,
      state,
      events,
      checks: createLogChecks(rpc, metrics, log),
      isCopy: false,
    },
    reorgWindowSeconds: 100,
    signal: new AbortController().signal,
    checkpoint: (await readCheckpoint(pool))!,
    headsComparedAt: 0,
  };
}

/** Backfills with database faults, each time from the point of the last failure, then indexes to the head. */
async function indexChain(seed: number, faults: DatabaseFaults): Promise<{ batches: number; failures: number }> {
  await index.empty();
  const chain = createSimulatedChain(createRandom(seed));
  for (let i = 0; i < blocks; i++) chain.mine(12);
  const rpc = createRpc(chain);
  const target = blocks - 80;
  const { pool: faulty } = createFaultyPool(pool, createRandom(seed), () => faults);
  let failures = 0;
  for (;;) {
    const context = await openContext(rpc, faulty);
    try {
      const options = { size: createRangeSize(4), onProgress: async () => undefined, batchLogs };
      await backfill(context, target, chain.head().time, options);
    } catch {
      failures++;
      continue;
    }
    expect(context.checkpoint).toEqual(await readCheckpoint(pool));
    break;
  }
  const { batchId: batches, blockNumber } = (await readCheckpoint(pool))!;
  expect(blockNumber).toBe(target);

  const db = { ...index.indexer, api: pool, read: pool };
  const config = parseConfig({
    DATABASE_URL: index.url,
    RPC_URL: "http://simulated",
    REORG_WINDOW_SECONDS: "100",
  });
  const deps = {
    config,
    log,
    clock: systemClock,
    db,
    chain: { rpc, heads: createSeenHeads(systemClock) },
    metrics,
  } as unknown as Deps;
  const indexer = startIndexer(deps, simulatedManifest);
  await vi.waitFor(() => expect(indexer.status().indexedBlock).toBe(chain.head().number), { timeout: 60_000 });
  await indexer.stop();
  const expected = referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
  expect(differences(expected, await dumpIndex(pool))).toEqual([]);
  expect(expected.trades.size).toBeGreaterThan(20);
  return { batches, failures };
}

test("many batches, each written while the next is reduced, give an index equal to the reference", async () => {
  for (const seed of [1, 2, 3]) {
    const { batches } = await indexChain(seed, { statement: 0, commit: 0 });
    expect(batches).toBeGreaterThan(5);
  }
});

test("a batch that fails while the next is reduced discards that one too, and both are indexed again", async () => {
  let failures = 0;
  for (const seed of [4, 5, 6]) failures += (await indexChain(seed, { statement: 0.01, commit: 0.3 })).failures;
  expect(failures).toBeGreaterThan(3);
});
