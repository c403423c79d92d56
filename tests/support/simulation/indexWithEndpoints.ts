import { launchedTopic } from "@slipway/protocol/launchedLog";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, vi } from "vitest";
import { changeAnswers, type RpcAnswer, type RpcRequest } from "../indexer/changeAnswers.ts";
import { dumpIndex } from "./dumpIndex.ts";
import { openSimulationIndex, type SimulationIndex } from "./openSimulationIndex.ts";
import { createRandom } from "./random.ts";
import { referenceIndex } from "./reference.ts";
import { createSimulatedChain, type SimulatedChain } from "./simulatedChain.ts";
import { simulatedManifest } from "./simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "./simulatedNode.ts";
import { differences } from "./tables.ts";

/** Enough blocks that most are final when the indexer starts. */
const blocks = 400;
const hosts = ["one.example", "two.example", "three.example"];

export type Log = { blockNumber: string; logIndex: string; topics: string[] };
/** Changes an answer of an endpoint. */
export type Change = (call: RpcRequest, answer: RpcAnswer, endpoint: number) => RpcAnswer;

export let index: SimulationIndex;

/** Opens an index for the tests of a file, and empties it before each test. */
export function useSimulationIndex(): void {
  beforeAll(async () => {
    index = await openSimulationIndex();
    // A busy machine can exceed the time that a request waits for a connection.
    for (const { options } of [index.indexer.indexer, index.indexer.pipelined, index.pool])
      options.connectionTimeoutMillis = 60_000;
  });
  afterAll(async () => {
    await index?.close();
  });
  beforeEach(async () => {
    await index.empty();
  });
}

export function mineChain(seed: number): SimulatedChain {
  const chain = createSimulatedChain(createRandom(seed));
  for (let i = 0; i < blocks; i++) chain.mine(12);
  return chain;
}

/** Whether a call requests the logs of a range of final blocks. */
export const isRange = (call: RpcRequest, answer: RpcAnswer) =>
  call.method === "eth_getLogs" && Array.isArray(answer.result) && call.params[0].topics?.[0].includes(launchedTopic);

/** Starts the indexer on a chain with this many endpoints; `calls` counts the JSON-RPC calls by method. */
export function start(chain: SimulatedChain, endpoints: number, change: Change = (_, answer) => answer) {
  const calls: Record<string, number> = {};
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  const nodes = createSimulatedNodes(
    ...([chain, endpoints, createRandom(5), () => noFaults, () => []] as Parameters<typeof createSimulatedNodes>),
  );
  const changed = changeAnswers(change)(nodes);
  const transport: RpcTransport = async (endpoint, body, signal) => {
    for (const { method } of [JSON.parse(body) as RpcRequest | RpcRequest[]].flat())
      calls[method] = (calls[method] ?? 0) + 1;
    return await changed(endpoint, body, signal);
  };
  const rpc = createRpcPool({
    endpoints,
    hosts: hosts.slice(0, endpoints),
    transport,
    clock: systemClock,
    log,
    metrics,
    timeoutMs: 60_000,
    requestsPerSecond: 1_000_000,
  });
  const config = parseConfig({
    ...{ DATABASE_URL: index.url, RPC_URL: "https://secret.example/key", REORG_WINDOW_SECONDS: "100" },
    ...{ RPC_REQUESTS_PER_SECOND: "100000", POLL_INTERVAL_MS: "10" },
  });
  const db = { ...index.indexer, api: index.pool, read: index.pool };
  const indexer = startIndexer(
    {
      config,
      log,
      clock: systemClock,
      db,
      chain: { rpc, heads: createSeenHeads(systemClock) },
      metrics,
    } as unknown as Deps,
    simulatedManifest,
  );
  onTestFinished(() => indexer.stop());
  return {
    indexer,
    calls,
    lines,
    find: (event: string) => lines.filter((line) => line.msg === event),
    untilCaughtUp: async () => {
      await vi.waitFor(
        () => expect(indexer.status()).toMatchObject({ indexedBlock: chain.head().number, state: "live" }),
        { timeout: 60_000 },
      );
    },
    count: async (name: string, labels: Record<string, string>) => {
      const metric = await metrics.registry.getSingleMetric(name)?.get();
      const matches = metric?.values.filter((value) =>
        Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
      );
      return matches?.reduce((sum, { value }) => sum + value, 0) ?? null;
    },
  };
}

export const createReference = (chain: SimulatedChain) =>
  referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
export const differ = async (chain: SimulatedChain) => differences(createReference(chain), await dumpIndex(index.pool));

export const checks = "slipway_log_checks_total";
export const unconfirmed = "slipway_unconfirmed_ranges";
