import { pino } from "pino";
import { numberToHex, zeroHash } from "viem";
import { expect, test } from "vitest";
import { RpcError } from "../chain/rpcError.ts";
import { createRpcPool } from "../chain/rpcPool.ts";
import { createMetrics } from "../metrics.ts";
import { systemClock } from "../systemClock.ts";
import { readFeesPerGas } from "./readFeesPerGas.ts";

/** The base fee and the gas price of a node; "down" for a node that does not respond. */
type Node = readonly [baseFee: bigint, gasPrice: bigint] | "down";

function createPool(nodes: readonly Node[]) {
  return createRpcPool({
    endpoints: nodes.length,
    transport: async (endpoint, body) => {
      const node = nodes[endpoint]!;
      if (node === "down") throw new RpcError("transient", "no answer");
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const block = { number: "0x1", timestamp: "0x1", hash: zeroHash, baseFeePerGas: numberToHex(node[0]) };
      const results: Record<string, unknown> = {
        eth_getBlockByNumber: block,
        eth_gasPrice: numberToHex(node[1]),
        eth_chainId: "0x1",
      };
      return JSON.stringify({ id, result: results[method] });
    },
    timeoutMs: 60_000,
    requestsPerSecond: 1e6,
    clock: systemClock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
}

const honest = [100n, 110n] as const;
const greedy = [100n, 110_000n] as const;
const expensive = [100_000n, 110_000n] as const;
const honestFees = { maxFee: 210n, priorityFee: 10n };

test.each<[string, Node[], head: readonly [bigint, bigint]]>([
  ["one endpoint", [honest], honest],
  ["two endpoints that agree", [honest, honest], honest],
  ["a first endpoint with a high tip", [greedy, honest], greedy],
  ["a second endpoint with a high tip", [honest, greedy], honest],
  ["an endpoint with a high base fee", [expensive, honest], expensive],
  ["a head with a high tip, and one endpoint that is down", [honest, "down"], greedy],
])("C7-61 the fees with %s are the honest fees", async (_, nodes, [baseFeeInWei, gasPriceInWei]) => {
  const rpc = createPool(nodes);
  expect(await readFeesPerGas({ rpc }, 1, { baseFeeInWei, gasPriceInWei })).toEqual(honestFees);
});

test("needs an endpoint that responds, if several are configured", async () => {
  const rpc = createPool(["down", "down"]);
  const head = { baseFeeInWei: honest[0], gasPriceInWei: honest[1] };
  await expect(readFeesPerGas({ rpc }, 1, head)).rejects.toMatchObject({ code: "chain_unavailable" });
});
