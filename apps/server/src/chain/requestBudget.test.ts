import { pino } from "pino";
import { expect, test } from "vitest";
import { toChainUnavailable, RpcError } from "./rpcError.ts";
import { batchRequests } from "./createChain.ts";
import { createRpcPool } from "./rpcPool.ts";
import { createMetrics } from "../metrics.ts";

/** A pool of ten calls a second whose clock stands still: nobody who has to wait is ever let through. */
function crowdedPool() {
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
      const asked = [JSON.parse(body)].flat() as { id: number }[];
      return JSON.stringify(asked.map(({ id }) => ({ id, result: "0x1" })));
    },
    timeoutMs: 1_000,
    requestsPerSecond: 10,
    clock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
  return { rpc, waits };
}

const call = { method: "eth_call", params: [] };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("requests that would wait for more than a second are refused at once, so that the indexer never waits long", async () => {
  const { rpc, waits } = crowdedPool();
  const request = batchRequests(rpc, { patienceMs: 1_000 });
  const refusals: unknown[] = [];
  // Far more than the endpoint is given: each turn is one batch of three.
  for (let trade = 0; trade < 100; trade++) {
    for (let i = 0; i < 3; i++) request(call).catch((error: unknown) => refusals.push(error));
    await turn();
  }
  await turn();
  expect(refusals.length).toBeGreaterThan(250);
  for (const refusal of refusals) expect(refusal).toMatchObject({ kind: "crowded", retryable: false });
  waits.length = 0;
  void rpc.batch([call]);
  await turn();
  expect(waits[0]).toBeLessThanOrEqual(1_500);
});

test("a batch larger than the budget is let through when nobody stands before it", async () => {
  const { rpc } = crowdedPool();
  const request = batchRequests(rpc, { patienceMs: 1_000 });
  const waiting = Promise.allSettled(Array.from({ length: 40 }, () => request(call)));
  await turn();
  expect(await Promise.race([waiting, turn()])).toBeUndefined();
});

test("a crowded endpoint is no failing one, and callers are told to come back", async () => {
  const { rpc } = crowdedPool();
  const request = batchRequests(rpc, { patienceMs: 1_000 });
  void rpc.batch(Array.from({ length: 100 }, () => call));
  const refusal = await request(call).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RpcError);
  expect(toChainUnavailable(refusal)).toMatchObject({
    code: "chain_unavailable",
    message: expect.stringMatching(/busy/),
  });
  // Both endpoints are still asked in their order.
  expect(rpc.other(1)).toBe(0);
});
