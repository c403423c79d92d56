import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { describe, expect, test } from "vitest";
import { findSplitterTraces, verifySplitterDeployment } from "./verifySplitterDeployment.ts";
import { RpcError } from "./rpcError.ts";

const splitter = "0x00000000000000000000000000000000000000F1";
const deployment = { deployment_block: 1_000, fee_splitter: {} } as LaunchDeployment;
const head = { number: 2_000_000n, timestamp: 0n, hash: "0x", gasPriceInWei: 0n } as const;

/** A chain with one birth that refuses log queries above `largestRange` blocks. */
function chainWith(birthBlock: number | null, largestRange = Number.POSITIVE_INFINITY) {
  const ranges: [number, number][] = [];
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === "eth_getCode") return "0x6000";
    const { fromBlock, toBlock, address } = (params as [{ fromBlock: string; toBlock: string; address: string }])[0];
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from >= largestRange) throw new RpcError("range", "block range is too wide");
    ranges.push([from, to]);
    const isInside = birthBlock !== null && from <= birthBlock && birthBlock <= to;
    return isInside ? [{ address, transactionHash: "0xb1" }] : [];
  };
  return { request, ranges };
}

const find = (chain: ReturnType<typeof chainWith>) => findSplitterTraces(chain, splitter, deployment, head);

describe("findSplitterTraces", () => {
  test("finds a young splitter with one query", async () => {
    const chain = chainWith(1_999_000);
    expect(await find(chain)).toEqual({ code: "0x6000", births: ["0xb1"] });
    expect(chain.ranges).toHaveLength(1);
  });

  test("asks for everything older at once where the node allows it", async () => {
    const chain = chainWith(1_500);
    expect((await find(chain)).births).toEqual(["0xb1"]);
    expect(chain.ranges).toHaveLength(2);
  });

  test("walks back in windows where it does not, over every block once and never before the deployment", async () => {
    const chain = chainWith(1_000, 60_000);
    expect((await find(chain)).births).toEqual(["0xb1"]);
    const covered = chain.ranges.sort(([a], [b]) => a - b);
    expect(covered[0]![0]).toBe(1_000);
    expect(covered.at(-1)![1]).toBe(2_000_000);
    expect(covered.slice(1).map(([from]) => from)).toEqual(covered.slice(0, -1).map(([, to]) => to + 1));
  });

  test("a malformed answer is the endpoint's fault, not the caller's", async () => {
    const request = async ({ method }: { method: string }) => (method === "eth_getCode" ? null : []);
    await expect(findSplitterTraces({ request }, splitter, deployment, head)).rejects.toMatchObject({
      code: "chain_unavailable",
    });
  });

  test("finds no birth where there is none, and proves nothing then", async () => {
    const traces = await find(chainWith(null, 60_000));
    expect(traces.births).toEqual([]);
    await expect(verifySplitterDeployment(chainWith(null), splitter, traces, deployment)).rejects.toMatchObject({
      code: "splitter_mismatch",
    });
  });

  test("a contract that emitted its birth twice is no splitter", async () => {
    const twice = { code: "0x6000", births: ["0xb1", "0xb2"] } as const;
    const proof = verifySplitterDeployment(
      chainWith(null),
      splitter,
      { ...twice, births: [...twice.births] },
      deployment,
    );
    await expect(proof).rejects.toMatchObject({ code: "splitter_mismatch" });
  });
});
