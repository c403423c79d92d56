import { pino } from "pino";
import { expect, test } from "vitest";
import { changeAnswers } from "../../../../../tests/support/indexer/changeAnswers.ts";
import { createRandom } from "../../../../../tests/support/simulation/random.ts";
import { createSimulatedChain } from "../../../../../tests/support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../../../../../tests/support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../../../../../tests/support/simulation/simulatedNode.ts";
import { createRpcPool } from "../../chain/rpcPool.ts";
import { createMetrics } from "../../metrics.ts";
import { systemClock } from "../../systemClock.ts";
import { allEvents } from "../events/allEvents.ts";
import { createEventCatalog } from "../events/eventModule.ts";
import { createIndexState } from "../indexState.ts";
import { toSources } from "../sources.ts";
import { fetchFactoryEvents } from "./factoryEvents.ts";
import { fetchFinalRange } from "./fetchFinalRange.ts";
import { createLogChecks, type LogChecks } from "./logChecks.ts";

const log = pino({ level: "silent" });
const blocks = 3_000;
const rangeBlocks = 100;

/** Fetches a chain in ranges, as a backfill does. @returns The number of calls, and outcomes of the bloom checks. */
async function fetchChain(createChecks: (checks: LogChecks) => LogChecks) {
  const chain = createSimulatedChain(createRandom(21));
  for (let i = 0; i <= blocks; i++) chain.mine(12);
  const nodes = createSimulatedNodes(
    chain,
    1,
    createRandom(5),
    () => noFaults,
    () => [],
  );
  let calls = 0;
  const transport = changeAnswers((_, answer) => {
    calls++;
    return answer;
  })(nodes);
  const metrics = createMetrics();
  const limits = { timeoutMs: 60_000, requestsPerSecond: 1_000_000 };
  const rpc = createRpcPool({ endpoints: 1, transport, clock: systemClock, log, metrics, ...limits });
  const state = createIndexState(toSources(simulatedManifest));
  const events = createEventCatalog(allEvents);
  const checks = createChecks(createLogChecks(rpc, metrics, log));
  const factoryEvents = await fetchFactoryEvents(rpc, state, 1, blocks);
  for (let from = 1; from <= blocks; from += rangeBlocks) {
    const to = from + rangeBlocks - 1;
    const earlier = factoryEvents.filter((event) => event.blockNumber <= to);
    await fetchFinalRange({ rpc, state, events, checks, log }, from, to, earlier);
  }
  const { values } = await metrics.logChecks.get();
  const count = (outcome: string) =>
    values.find(({ labels }) => labels.check === "bloom" && labels.outcome === outcome)!.value;
  return { calls, complete: count("complete"), missing: count("missing") };
}

test("checking the blooms of a backfill's headers costs at most 64 calls plus one in a hundred", async () => {
  const without = await fetchChain((checks) => ({ ...checks, take: () => 0, takeSamples: () => 0 }));
  const checked = await fetchChain((checks) => checks);
  expect(checked.calls).toBeGreaterThan(without.calls);
  expect(checked.calls).toBeLessThanOrEqual(without.calls * 1.01 + 64);
  expect(checked.complete).toBeGreaterThan(without.complete);
  expect(checked.missing).toBe(0);
});
