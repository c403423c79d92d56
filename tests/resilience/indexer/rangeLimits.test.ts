import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import { beforeAll, expect, test } from "vitest";
import type { RpcRequest } from "../../support/indexer/changeAnswers.ts";
import { indexSimulatedChain } from "../../support/indexer/indexSimulatedChain.ts";
import { createRandom } from "../../support/simulation/random.ts";
import { createSimulatedChain, type SimulatedChain } from "../../support/simulation/simulatedChain.ts";
import { createSimulatedNodes, noFaults } from "../../support/simulation/simulatedNode.ts";

let chain: SimulatedChain;
const blocks = 1_500;

beforeAll(() => {
  chain = createSimulatedChain(createRandom(11));
  for (let i = 0; i < blocks; i++) chain.mine(2);
});

/** The maximum range of a node, and its error for a larger range. */
const vendors = [
  {
    vendor: "Alchemy, free tier",
    limit: 10,
    code: -32600,
    message: "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
  },
  { vendor: "Infura", limit: 60, code: -32005, message: "query returned more than 10000 results" },
  { vendor: "QuickNode", limit: 100, code: -32614, message: "eth_getLogs is limited to a 100 range" },
  {
    vendor: "Alchemy",
    limit: 200,
    code: -32602,
    message: "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
  },
  { vendor: "drpc", limit: 500, code: -32000, message: "exceed maximum block range: 500" },
] as const;

test.each(vendors)(
  "C2-11 a backfill from a node that limits ranges to $limit blocks ($vendor) needs at most three times the fewest requests",
  async ({ limit, code, message }) => {
    const nodes = createSimulatedNodes(
      chain,
      1,
      createRandom(1),
      () => noFaults,
      () => [],
    );
    let requests = 0;
    /** The blocks covered by answers, by filter: addresses and topics. */
    const covered = new Map<string, number>();
    const limited: RpcTransport = async (endpoint, body, signal) => {
      const request = JSON.parse(body) as RpcRequest | RpcRequest[];
      for (const call of [request].flat()) {
        if (call.method !== "eth_getLogs") continue;
        requests++;
        const [{ fromBlock, toBlock, address, topics }] = call.params;
        const size = Number(toBlock) - Number(fromBlock) + 1;
        if (size > limit) {
          const refusal = { id: call.id, error: { code, message } };
          return JSON.stringify(Array.isArray(request) ? refuseAll(request, refusal) : refusal);
        }
        const isMain = Array.isArray(address) && topics[0].length > 1;
        const filter = isMain ? "everything" : JSON.stringify([address, topics]);
        covered.set(filter, (covered.get(filter) ?? 0) + size);
      }
      return await nodes(endpoint, body, signal);
    };
    await indexSimulatedChain(chain, limited, { REORG_WINDOW_SECONDS: "10" });
    const fewest = [...covered.values()].reduce((sum, size) => sum + Math.ceil(size / limit), 0);
    expect(requests, `${requests} requests, ${fewest} at the least`).toBeLessThanOrEqual(3 * fewest);
    expect(covered.get("everything")).toBeGreaterThan(blocks / 2);
  },
);

/** A node that rejects one call of a request answers none of its calls: the whole request is repeated. */
function refuseAll(request: readonly RpcRequest[], refusal: { error: object }): object[] {
  return request.map(({ id }) => ({ ...refusal, id }));
}
