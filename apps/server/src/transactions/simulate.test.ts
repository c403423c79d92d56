import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../chain/rpcError.ts";
import { simulate, simulateBatch, toAssetChanges } from "./simulate.ts";
import { computeFees, computeGasLimit } from "./unsignedResult.ts";

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}` as const;
const address = (value: number) => `0x${value.toString(16).padStart(40, "0")}` as const;

describe("toAssetChanges", () => {
  test("lists ERC-20 transfers and native transfers in order", () => {
    const native = `0x${"ee".repeat(20)}` as const;
    expect(
      toAssetChanges([
        { address: address(9), topics: [transfer, word(1), word(2)], data: word(5) },
        { address: native, topics: [transfer, word(2), word(1)], data: word(7) },
      ]),
    ).toEqual([
      { asset: address(9), from: address(1), to: address(2), amount: "5" },
      { asset: zeroAddress, from: address(2), to: address(1), amount: "7" },
    ]);
  });

  test("omits zero amounts, ERC-721 transfers, malformed logs and other events", () => {
    expect(
      toAssetChanges([
        { address: address(9), topics: [transfer, word(1), word(2)], data: word(0) },
        { address: address(9), topics: [transfer, word(1), word(2), word(3)], data: "0x" },
        { address: address(9), topics: [transfer, word(1), word(2)], data: "0x05" },
        { address: address(9), topics: [word(1)], data: word(5) },
      ]),
    ).toEqual([]);
  });
});

const head = { number: 5n, timestamp: 6n, hash: "0x7", gasPriceInWei: 8n } as const;
const call = { from: address(1), to: address(2), data: "0x", value: 0n } as const;
const succeeded = { status: "0x1", returnData: "0x", gasUsed: "0x64", logs: [] };

describe("simulateBatch", () => {
  const run = (results: object[], calls = 2) => {
    const request = async () => [{ calls: results }];
    const reads = Array.from({ length: results.length - calls }, () => call);
    return simulateBatch(
      { request },
      Array.from({ length: calls }, () => call),
      reads,
      head,
    );
  };

  test("computes the gas before refunds (at most a fifth is refunded) if the node does not report it", async () => {
    const { gasUsed, gasUsedByCall } = await run([succeeded, { ...succeeded, maxUsedGas: "0x65" }]);
    expect([gasUsedByCall, gasUsed]).toEqual([[125n, 101n], 226n]);
  });

  test("returns the results of the views after the calls, without their gas and transfers", async () => {
    const moved = { address: address(9), topics: [transfer, word(1), word(2)], data: word(5) };
    const view = { ...succeeded, returnData: word(7), logs: [moved] };
    const { readData, gasUsedByCall, assetChanges } = await run([succeeded, succeeded, view]);
    expect([readData, gasUsedByCall.length, assetChanges]).toEqual([[word(7)], 2, []]);
  });

  test("reports the failing call of a batch", async () => {
    const failed = { ...succeeded, status: "0x0" };
    await expect(run([succeeded, failed])).rejects.toMatchObject({ code: "simulation_reverted", details: { call: 1 } });
    const alone = await run([failed], 1).catch((error: { details: object }) => error.details);
    expect(alone).not.toHaveProperty("call");
  });

  test("rejects with chain_unavailable if a view fails, a result is missing, or the node cannot simulate", async () => {
    const unavailable = { code: "chain_unavailable" };
    await expect(run([succeeded, succeeded, { ...succeeded, status: "0x0" }])).rejects.toMatchObject(unavailable);
    const short = simulateBatch({ request: async () => [{ calls: [succeeded] }] }, [call, call], [], head);
    await expect(short).rejects.toMatchObject(unavailable);
    for (const error of [new RpcError("unsupported", "no", -32601), new RpcError("refused", "no", -32602)]) {
      const request = () => Promise.reject(error);
      await expect(simulateBatch({ request }, [call], [], head)).rejects.toMatchObject(unavailable);
    }
  });
});

describe("simulate", () => {
  test("tries both methods at once on an unknown node, and afterwards only the supported method", async () => {
    const asked: string[] = [];
    const request = async ({ method }: { method: string }) => {
      asked.push(method);
      if (method === "eth_simulateV1") throw new RpcError("unsupported", "no such method", -32601);
      return method === "eth_call" ? "0x" : method === "eth_estimateGas" ? "0x5208" : {};
    };
    const simulationSupport = { calls: null, creations: null, failedOverrides: 0 };
    for (let i = 0; i < 2; i++) {
      expect((await simulate({ request, simulationSupport }, call, head)).method).toBe("eth_call");
    }
    const byCall = ["eth_call", "eth_estimateGas", "debug_traceCall"];
    expect(asked).toEqual([...byCall, "eth_simulateV1", ...byCall]);
    expect(simulationSupport.calls).toBe(false);
  });
});

describe("computeGasLimit", () => {
  test("returns 1.2 times the used gas, rounded up, and at least 30,000 more", () => {
    const of = (gasUsed: bigint) => computeGasLimit({ gasUsed, method: "eth_simulateV1" }, null);
    expect(of(1_000_001n)).toBe(1_200_002n);
    expect(of(1_000_005n)).toBe(1_200_006n);
    expect(of(100_000n)).toBe(130_000n);
    expect(of(150_000n)).toBe(180_000n);
  });

  test("adds the parent chain's gas to eth_simulateV1, and not to eth_estimateGas, which includes it", () => {
    expect(computeGasLimit({ gasUsed: 900_000n, method: "eth_simulateV1" }, 100_000n)).toBe(1_200_000n);
    expect(computeGasLimit({ gasUsed: 1_000_000n, method: "eth_call" }, 100_000n)).toBe(1_200_000n);
  });
});

describe("computeFees", () => {
  test("returns the maximum cost in wei and in dollars, null when unknown", () => {
    const known = computeFees(1_000_000n, 10n ** 9n, 5n, 3_000);
    expect(known).toMatchObject({ total_wei: `${10n ** 15n}`, l1_gas: "5" });
    expect(known.total_usd).toBeCloseTo(3, 12);
    expect(computeFees(1n, 1n, null, null)).toMatchObject({ l1_gas: null, total_usd: null });
  });
});
