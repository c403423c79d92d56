import { createPublicClient, custom, encodeFunctionResult, type Hex, multicall3Abi, numberToHex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { readAtHead } from "./readAtHead.ts";
import { RpcError } from "./rpcError.ts";

const abi = parseAbi(["function supply() view returns (uint256)"]);
const contracts = [{ address: "0x00000000000000000000000000000000000000a1", abi, functionName: "supply" }] as const;
const word = (value: bigint) => numberToHex(value, { size: 32 });
const aggregate = (...returned: Hex[]) =>
  encodeFunctionResult({
    abi: multicall3Abi,
    functionName: "aggregate3",
    result: returned.map((returnData) => ({ success: true, returnData })),
  });

type Answers = {
  /** Returns or throws the result of the call at the newest block. */
  latest: () => Hex;
  /** Returns or throws the result of a call at a block number. */
  atBlock?: () => Hex;
  head?: bigint;
};

const multicall3 = "0x00000000000000000000000000000000000000c3";

/** A node with a head at 1,000 s. Its contract has a supply of 7 at the newest block, and of 5 at a block number. */
function createNode({ latest, atBlock = () => aggregate(word(5n)), head = 100n }: Answers) {
  const calls: string[] = [];
  const targets: (Hex | undefined)[] = [];
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === "eth_chainId") return "0x1";
    if (method === "eth_gasPrice") return "0x5";
    if (method === "eth_getBlockByNumber") return { number: numberToHex(head), timestamp: "0x3e8", hash: "0xaa" };
    const [{ to }, block] = params as [{ to?: Hex }, string];
    calls.push(block);
    targets.push(to);
    return block === "latest" ? latest() : atBlock();
  };
  const client = createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) });
  const simulationSupport = { calls: null, creations: null, failedOverrides: 0 };
  return { chain: { request, client, simulationSupport } as never, calls, targets, simulationSupport };
}
const block = (number: bigint, timestamp: bigint) => `${word(number)}${word(timestamp).slice(2)}` as Hex;

describe.each([
  ["with Multicall3's code in the request", null],
  ["through the chain's Multicall3", multicall3],
] as const)("readAtHead %s", (_name, place) => {
  test("reads head and contracts in one round if both are from one block", async () => {
    const { chain, calls, targets } = createNode({ latest: () => aggregate(block(100n, 1_000n), "0x", word(7n)) });
    const { head, results } = await readAtHead(chain, 1, contracts, place);
    expect([head.number, results[0].result, calls, targets]).toEqual([100n, 7n, ["latest"], [place ?? undefined]]);
  });

  test.each([
    ["number", block(101n, 1_000n)],
    ["time", block(100n, 1_001n)],
  ])("reads again at the head's number if the call ran on a block with another %s", async (_, other) => {
    const { chain, calls, simulationSupport } = createNode({ latest: () => aggregate(other, "0x", word(7n)) });
    simulationSupport.failedOverrides = 2;
    const { head, results } = await readAtHead(chain, 1, contracts, place);
    expect([head.number, results[0].result, calls]).toEqual([100n, 5n, ["latest", "0x64"]]);
    expect(simulationSupport.failedOverrides).toBe(0);
  });

  test("uses an Arbitrum chain's block number, not its parent chain's", async () => {
    const { chain, calls } = createNode({ latest: () => aggregate(block(22_000_000n, 1_000n), word(100n), word(7n)) });
    expect((await readAtHead(chain, 1, contracts, place)).results[0].result).toBe(7n);
    expect(calls).toEqual(["latest"]);
  });

  const fail = (error: RpcError) => () => {
    throw error;
  };
  test.each<[string, () => Hex]>([
    ["ignores state overrides", () => aggregate("0x", "0x", word(7n))],
    ["rejects them as parameters", fail(new RpcError("refused", "too many arguments, want at most 2", -32602))],
    ["fails with them", fail(new RpcError("transient", "internal error", -32603))],
  ])("reads three times with overrides from a node that %s, then only at the head's number", async (_, latest) => {
    const { chain, calls } = createNode({ latest });
    for (let i = 0; i < 5; i++) expect((await readAtHead(chain, 1, contracts, place)).results[0].result).toBe(5n);
    expect(calls.filter((block) => block === "latest")).toHaveLength(3);
    expect(calls.filter((block) => block === "0x64")).toHaveLength(5);
  });

  test("learns nothing from an endpoint that answers neither call, and rejects with chain_unavailable", async () => {
    const broken = fail(new RpcError("transient", "HTTP 502"));
    const { chain, simulationSupport } = createNode({ latest: broken, atBlock: broken });
    for (let i = 0; i < 5; i++) {
      await expect(readAtHead(chain, 1, contracts, place)).rejects.toMatchObject({ code: "chain_unavailable" });
    }
    expect(simulationSupport.failedOverrides).toBe(0);
  });
});
