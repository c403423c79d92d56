import { encodeCall } from "@slipway/protocol/encodeCall";
import {
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbi,
} from "viem";
import { describe, expect, test } from "vitest";
import { aggregate } from "./aggregate.ts";

const abi = parseAbi([
  "function supply() view returns (uint256)",
  "function owner(address token) view returns (address)",
  "function pick(uint256 value) view returns (uint256)",
  "function pick(address value) view returns (address)",
  "function move(address to)",
]);
const address = "0x00000000000000000000000000000000000000A1";
const multicall3 = "0x00000000000000000000000000000000000000c3";
const word = (value: bigint) => numberToHex(value, { size: 32 });

/** Creates a client of a node with these answers of the contracts, and records the requests. */
function createClient(answers: { success: boolean; returnData: Hex }[] | Hex | Error) {
  const requests: unknown[][] = [];
  const request = async ({ params }: { params: unknown[] }) => {
    requests.push(params);
    if (answers instanceof Error) throw answers;
    if (typeof answers === "string") return answers;
    return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: answers });
  };
  return {
    client: createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) }) as never,
    requests,
  };
}

const supply = { address, abi, functionName: "supply" } as const;
const owner = { address, abi, functionName: "owner", args: [address] } as const;
const revert = encodeFunctionData({ abi: parseAbi(["function Error(string)"]), args: ["TOO LATE"] });

describe("aggregate", () => {
  test("decodes every kind of answer as viem's multicall does, with the same request", async () => {
    const reads = [
      supply,
      owner,
      supply,
      supply,
      { address, abi, functionName: "pick", args: [3n] } as const,
      { address, abi, functionName: "move", args: [address] } as const,
    ];
    const answers = [
      { success: true, returnData: word(7n) },
      { success: true, returnData: word(BigInt(address)) },
      { success: false, returnData: revert },
      { success: true, returnData: "0x" as const },
      { success: true, returnData: word(3n) },
      { success: true, returnData: "0x" as const },
    ];
    const own = createClient(answers);
    const found = await aggregate(own.client, multicall3, reads, { block: "0x64" });
    const oracle = createClient(answers);
    const expected = await (oracle.client as ReturnType<typeof createPublicClient>).multicall({
      contracts: reads,
      multicallAddress: multicall3,
      blockNumber: 100n,
      batchSize: 0,
    });
    const show = (results: readonly { status: string; result?: unknown }[]) =>
      results.map(({ status, result }) => ({ status, result }));
    expect(show(found)).toEqual(show(expected));
    expect(own.requests[0]).toEqual(oracle.requests[0]);
    expect(found[2]!.error!.message).toContain("TOO LATE");
  });

  test("sends the code overrides of accounts", async () => {
    const { client, requests } = createClient([{ success: true, returnData: word(7n) }]);
    const codes = { [address]: { code: "0x00" } } as const;
    await aggregate(client, multicall3, [supply], { block: "latest", codes });
    expect(requests[0]!.slice(1)).toEqual(["latest", codes]);
  });

  test("fails all reads if the answer is not from Multicall3, and rejects if the request fails", async () => {
    const { client } = createClient("0x");
    const found = await aggregate(client, multicall3, [supply, supply], { block: "latest" });
    expect(found.map(({ status }) => status)).toEqual(["failure", "failure"]);
    const failing = createClient(new Error("HTTP 502"));
    await expect(aggregate(failing.client, multicall3, [supply], { block: "latest" })).rejects.toThrow("HTTP 502");
  });
});

describe("encodeCall", () => {
  test.each([
    { functionName: "supply" },
    { functionName: "owner", args: [address] },
    { functionName: "pick", args: [3n] },
    { functionName: "pick", args: [address] },
  ] as const)("encodes $functionName($args) as viem does, also the second time", (call) => {
    const expected = encodeFunctionData({ abi, ...call } as never);
    expect([encodeCall({ abi, ...call } as never), encodeCall({ abi, ...call } as never)]).toEqual([
      expected,
      expected,
    ]);
  });

  test("decodes to the encoded values, and rejects arguments of a wrong type", () => {
    expect(decodeFunctionData({ abi, data: encodeCall({ abi, functionName: "move", args: [address] }) })).toEqual({
      functionName: "move",
      args: [address],
    });
    expect(() => encodeCall({ abi, functionName: "move", args: ["0x12"] } as never)).toThrow(/invalid/i);
    expect(() => encodeCall({ abi, functionName: "missing" } as never)).toThrow(/missing/);
  });
});
