import { pino } from "pino";
import { expect, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { batchRequests } from "./createChain.ts";
import { RpcError, toChainUnavailable } from "./rpcError.ts";
import { createRpcPool } from "./rpcPool.ts";

/** Creates a pool of ten calls per second whose clock does not advance, so that a waiting request never proceeds. */
function createBusyPool() {
  const waits: number[] = [];
  const clock = {
    now: () => 1_000_000,
    sleep: (milliseconds: number) => {
      waits.push(milliseconds);
      return new Promise<void>(() => undefined);
    },
  };
  const rpc = createRpcPool({
    endpoints: 2,
    transport: async (_, body) => {
      const calls = [JSON.parse(body)].flat() as { id: number }[];
      return JSON.stringify(calls.map(({ id }) => ({ id, result: "0x1" })));
    },
    timeoutMs: 60_000,
    requestsPerSecond: 10,
    clock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
  return { rpc, waits };
}

const call = { method: "eth_call", params: [] };
const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

test("rejects requests that would wait longer than a second, so that the indexer never waits long", async () => {
  const { rpc, waits } = createBusyPool();
  const request = batchRequests(rpc, { budgetTimeoutMs: 1_000 });
  const refusals: unknown[] = [];
  // Each iteration sends one batch of three, which far exceeds the budget.
  for (let trade = 0; trade < 100; trade++) {
    for (let i = 0; i < 3; i++) request(call).catch((error: unknown) => refusals.push(error));
    await nextIteration();
  }
  await nextIteration();
  expect(refusals.length).toBeGreaterThan(250);
  for (const refusal of refusals) expect(refusal).toMatchObject({ kind: "overBudget", retryable: false });
  waits.length = 0;
  void rpc.batch([call]);
  await nextIteration();
  expect(waits[0]).toBeLessThanOrEqual(1_500);
});

test("sends a batch larger than the budget if no other request waits", async () => {
  const { rpc } = createBusyPool();
  const request = batchRequests(rpc, { budgetTimeoutMs: 1_000 });
  const waiting = Promise.allSettled(Array.from({ length: 40 }, () => request(call)));
  await nextIteration();
  expect(await Promise.race([waiting, nextIteration()])).toBeUndefined();
});

test("reports an exhausted budget as a busy chain, without a cooldown of the endpoint", async () => {
  const { rpc } = createBusyPool();
  const request = batchRequests(rpc, { budgetTimeoutMs: 1_000 });
  void rpc.batch(Array.from({ length: 100 }, () => call));
  const refusal = await request(call).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RpcError);
  expect(toChainUnavailable(refusal)).toMatchObject({
    code: "chain_unavailable",
    message: expect.stringMatching(/busy/),
  });
  // Both endpoints keep their order.
  expect(rpc.other(1)).toBe(0);
});
