import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { findSplitterCreation, verifySplitterDeployment } from "./verifySplitterDeployment.ts";
import { RpcError } from "./rpcError.ts";

const splitter = "0x00000000000000000000000000000000000000F1";
const deployment = { deployment_block: 1_000, fee_splitter: {} } as LaunchDeployment;
const head = { number: 2_000_000n, timestamp: 0n, hash: "0x", gasPriceInWei: 0n } as const;

/** A chain with one splitter deployment that refuses log queries above `maxRange` blocks. */
function createChain(deploymentBlock: number | null, maxRange = Number.POSITIVE_INFINITY) {
  const ranges: [number, number][] = [];
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === "eth_getCode") return "0x6000";
    const { fromBlock, toBlock, address } = (params as [{ fromBlock: string; toBlock: string; address: string }])[0];
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from >= maxRange) throw new RpcError("range", "block range is too wide");
    ranges.push([from, to]);
    const isInside = deploymentBlock !== null && from <= deploymentBlock && deploymentBlock <= to;
    return isInside ? [{ address, transactionHash: "0xb1" }] : [];
  };
  return { request, ranges };
}

const find = (chain: ReturnType<typeof createChain>) => findSplitterCreation(chain, splitter, deployment, head);

describe("findSplitterCreation", () => {
  test("finds a recently deployed splitter with one query", async () => {
    const chain = createChain(1_999_000);
    expect(await find(chain)).toEqual({ code: "0x6000", transactionHashes: ["0xb1"] });
    expect(chain.ranges).toHaveLength(1);
  });

  test("searches all older blocks with one query where the node allows it", async () => {
    const chain = createChain(1_500);
    expect((await find(chain)).transactionHashes).toEqual(["0xb1"]);
    expect(chain.ranges).toHaveLength(2);
  });

  test("searches backwards in ranges where the node refuses that, each block once and none before the deployment", async () => {
    const chain = createChain(1_000, 60_000);
    expect((await find(chain)).transactionHashes).toEqual(["0xb1"]);
    const covered = chain.ranges.sort(([a], [b]) => a - b);
    expect(covered[0]![0]).toBe(1_000);
    expect(covered.at(-1)![1]).toBe(2_000_000);
    expect(covered.slice(1).map(([from]) => from)).toEqual(covered.slice(0, -1).map(([, to]) => to + 1));
  });

  test("rejects with chain_unavailable for a malformed response", async () => {
    const request = async ({ method }: { method: string }) => (method === "eth_getCode" ? null : []);
    await expect(findSplitterCreation({ request }, splitter, deployment, head)).rejects.toMatchObject({
      code: "chain_unavailable",
    });
  });

  test("finds no creation where there is none, and rejects the splitter", async () => {
    const creation = await find(createChain(null, 60_000));
    expect(creation.transactionHashes).toEqual([]);
    await expect(verifySplitterDeployment(createChain(null), splitter, creation, deployment)).rejects.toMatchObject({
      code: "splitter_mismatch",
    });
  });

  test("rejects a contract that emitted SplitterCreated twice", async () => {
    const twice = { code: "0x6000" as const, transactionHashes: ["0xb1", "0xb2"] as Hex[] };
    const proof = verifySplitterDeployment(createChain(null), splitter, twice, deployment);
    await expect(proof).rejects.toMatchObject({ code: "splitter_mismatch" });
  });
});
