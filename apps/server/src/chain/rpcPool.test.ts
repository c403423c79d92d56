import { pino } from "pino";
import { expect, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { systemClock } from "../systemClock.ts";
import { classifyRpcError, RpcError } from "./rpcError.ts";
import { createRpcPool } from "./rpcPool.ts";
import { createRpcTransport, type RpcTransport } from "./rpcTransport.ts";

function pool(
  transport: RpcTransport,
  endpoints = 2,
  clock = systemClock,
  timeoutMs = 20_000,
  onSwitch: () => void = () => undefined,
) {
  const log = pino({ level: "silent" });
  const options = { timeoutMs, requestsPerSecond: 1e6, clock, log, metrics: createMetrics(), onSwitch };
  return createRpcPool({ endpoints, transport, ...options });
}
const answer = (body: string, result: unknown) => JSON.stringify({ id: JSON.parse(body).id, result });

test("uses the next endpoint if one fails, and starts a cooldown of the failed endpoint", async () => {
  const endpoints: number[] = [];
  const rpc = pool(async (endpoint, body) => {
    endpoints.push(endpoint);
    if (endpoint === 0) throw new RpcError("transient", "no answer");
    return answer(body, "0x1");
  });
  expect(await rpc.request({ method: "eth_chainId" })).toBe("0x1");
  expect(await rpc.request({ method: "eth_chainId" })).toBe("0x1");
  expect(endpoints).toEqual([0, 1, 1]);
});

test("C2-08 uses another endpoint after a response that the caller penalizes", async () => {
  const endpoints: number[] = [];
  const rpc = pool(async (endpoint, body) => {
    endpoints.push(endpoint);
    return answer(body, []);
  });
  await rpc.request({ method: "eth_getBlockReceipts" });
  rpc.penalize();
  await rpc.request({ method: "eth_getBlockReceipts" });
  expect(endpoints).toEqual([0, 1]);
});

test("C7-82 two endpoints of one host are one for comparisons", () => {
  const log = pino({ level: "silent" });
  const create = (hosts: string[]) =>
    createRpcPool({
      endpoints: hosts.length,
      hosts,
      transport: async () => "",
      timeoutMs: 60_000,
      requestsPerSecond: 1,
      clock: systemClock,
      log,
      metrics: createMetrics(),
    });
  const same = create(["node.example", "node.example"]);
  expect([same.hosts, same.listIndependent(), same.listHealthy()]).toEqual([1, [0], [0, 1]]);
  const mixed = create(["node.example", "node.example", "other.example"]);
  expect([mixed.hosts, mixed.listIndependent()]).toEqual([2, [0, 2]]);
});

test("reports a switch to another endpoint, but not a request that names its endpoint", async () => {
  let isDown = false;
  let switches = 0;
  const transport: RpcTransport = async (endpoint, body) => {
    if (endpoint === 0 && isDown) throw new RpcError("transient", "no answer");
    return answer(body, []);
  };
  const rpc = pool(transport, 2, systemClock, 20_000, () => switches++);
  await rpc.request({ method: "eth_chainId" });
  await rpc.request({ method: "eth_call" }, { endpoint: 1 });
  await rpc.request({ method: "eth_chainId" });
  expect(switches).toBe(0);
  isDown = true;
  await rpc.request({ method: "eth_chainId" });
  await rpc.request({ method: "eth_chainId" });
  expect(switches).toBe(1);
});

test("C2-08 keeps a penalized endpoint in cooldown for longer than any retry interval of the indexer", async () => {
  let now = 1_000_000;
  const endpoints: number[] = [];
  const transport: RpcTransport = async (endpoint, body) => {
    endpoints.push(endpoint);
    return answer(body, []);
  };
  const rpc = pool(transport, 2, { ...systemClock, now: () => now });
  for (let attempt = 0; attempt < 4; attempt++) {
    // A good response to another request does not end the cooldown.
    await rpc.request({ method: "eth_getBlockByNumber" }, { endpoint: 0 });
    rpc.penalize();
    now += 6_000;
    await rpc.request({ method: "eth_getBlockReceipts" });
  }
  expect(endpoints).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
});

test("C2-08 returns another endpoint for a cross-check, and null once the others are down", async () => {
  const rpc = pool(async (endpoint, body) => {
    if (endpoint === 1) throw new RpcError("transient", "no answer");
    return answer(body, "0x1");
  });
  const answeredBy: number[] = [];
  await rpc.batch([{ method: "eth_chainId", params: [] }], { onAnswer: (endpoint) => answeredBy.push(endpoint) });
  expect(answeredBy).toEqual([0]);
  expect(rpc.other(0)).toBe(1);
  for (let i = 0; i < 12; i++) await rpc.request({ method: "eth_chainId" }, { endpoint: 1 }).catch(() => undefined);
  expect(rpc.other(0)).toBeNull();
  expect(pool(async () => "", 1).other(0)).toBeNull();
});

test("returns results in the order of the calls for responses in any order", async () => {
  const rpc = pool(async (_, body) => {
    const calls = JSON.parse(body) as { id: number; params: string[] }[];
    return JSON.stringify(calls.toReversed().map((call) => ({ id: call.id, result: call.params[0] })));
  });
  expect(await rpc.batch(["a", "b", "c"].map((p) => ({ method: "m", params: [p] })))).toEqual(["a", "b", "c"]);
});

test("does not retry a request that a node rejected, and keeps the revert data", async () => {
  let calls = 0;
  const rpc = pool(async (_, body) => {
    calls++;
    return JSON.stringify({
      id: JSON.parse(body).id,
      error: { code: 3, message: "execution reverted", data: "0x08c379a0" },
    });
  });
  const error = await rpc.request({ method: "eth_call" }).catch((e: RpcError) => e);
  expect(error).toMatchObject({ kind: "refused", retryable: false, code: 3, data: "0x08c379a0" });
  expect(calls).toBe(1);
});

test.each(["not json", "[]", '{"id":99999,"result":1}', "null"])("rejects %s as malformed", async (text) => {
  const rpc = pool(async () => text, 1);
  await expect(rpc.request({ method: "m" })).rejects.toMatchObject({ kind: "malformed", retryable: true });
});

test("never exposes an endpoint's URL, which contains a key", async () => {
  const transport = createRpcTransport(["http://127.0.0.1:9/v3/SECRETKEY"]);
  const error = await pool(transport, 1)
    .request({ method: "m" })
    .catch((e: Error) => e);
  expect(`${error} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain("SECRETKEY");
});

test("rejects a request without a response in time as transient", async () => {
  const rpc = pool(
    (_, __, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new RpcError("transient", "timeout")));
      }),
    1,
    systemClock,
    50,
  );
  await expect(rpc.request({ method: "m" })).rejects.toMatchObject({ kind: "transient" });
});

test.each([
  [-32005, "query returned more than 10000 results", "range"],
  [-32600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.", "range"],
  [-32614, "eth_getLogs is limited to a 10,000 range", "range"],
  [-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range", "range"],
  [-32000, "exceed maximum block range: 5000", "range"],
  [-32000, "block range is too wide", "range"],
  [-32005, "daily request count exceeded, request rate limited", "transient"],
  [429, "Too Many Requests", "transient"],
  [-32000, "header not found", "transient"],
  [-32603, "Internal error", "transient"],
  [-32601, "the method eth_getBlockReceipts does not exist/is not available", "unsupported"],
  [-32000, "execution reverted: no", "refused"],
  [-32602, "invalid argument 0: hex string", "refused"],
  [-32603, "EVM error OutOfGas", "refused"],
  [-32603, "EVM error CreateContractSizeLimit", "refused"],
])("C2-11 classifies %i %s as %s", (code, message, kind) => {
  expect(classifyRpcError({ code, message }, 0).kind).toBe(kind);
});
