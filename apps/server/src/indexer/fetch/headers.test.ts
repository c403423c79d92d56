import { pino } from "pino";
import { expect, test } from "vitest";
import { hex, toHash } from "../../../../../tests/support/server/fakeRpc.ts";
import { createRpcPool } from "../../chain/rpcPool.ts";
import { createMetrics } from "../../metrics.ts";
import { fetchHead } from "./headers.ts";

const start = 1_700_000_000;

/** Creates endpoints with these heads, on a chain with one block per second. */
function createPool(heads: number[]) {
  const asked: number[] = [];
  const clock = { time: start * 1000, now: () => clock.time, sleep: async () => undefined };
  const rpc = createRpcPool({
    endpoints: heads.length,
    timeoutMs: 60_000,
    requestsPerSecond: 1_000_000,
    clock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    transport: async (endpoint, body) => {
      asked.push(endpoint);
      const number = heads[endpoint]!;
      const hash = toHash(number);
      const parentHash = toHash(number - 1);
      const result = { number: hex(number), hash, parentHash, timestamp: hex(start + number), transactions: [] };
      return JSON.stringify({ id: JSON.parse(body).id, result });
    },
  });
  const context = { rpc, clock, headsComparedAt: 0 };
  const at = async (second: number) => {
    clock.time = (start + second) * 1000;
    return (await fetchHead(context)).number;
  };
  return { heads, asked, at };
}

test("an endpoint whose head stops gets no requests while another endpoint has newer heads", async () => {
  const { heads, asked, at } = createPool([100, 100]);
  expect(await at(100)).toBe(100);
  // The first endpoint stops here.
  for (let second = 101; second <= 400; second++) {
    heads[1] = second;
    const head = await at(second);
    if (second > 200) expect(head).toBeGreaterThanOrEqual(second - 20);
  }
  heads[0] = 500;
  heads[1] = 500;
  expect(await at(500)).toBe(500);
  expect(asked.filter((endpoint) => endpoint === 0).length).toBeLessThan(150);
});

test("on a chain without new blocks no endpoint is penalized, and the others get few requests", async () => {
  const { asked, at } = createPool([100, 100]);
  for (let second = 100; second < 400; second++) expect(await at(second)).toBe(100);
  expect(asked.filter((endpoint) => endpoint === 1).length).toBeLessThan(70);
});

test("an endpoint that is a few blocks late is followed", async () => {
  const { asked, at } = createPool([95, 100]);
  for (let second = 100; second < 105; second++) expect(await at(second)).toBe(95);
  expect(new Set(asked)).toEqual(new Set([0]));
});
