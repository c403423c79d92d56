import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { decodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi, numberToHex, padHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { toAddress } from "../../../../../tests/support/server/rows.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { groupBySplitter, tryClaim } from "./claimGroups.ts";

const head = { number: 100n, timestamp: 1_000n };

/** Creates a launch; the launches of one splitter are a group. */
const createLaunch = (id: number, splitter: number) => ({
  launch: {
    ...{ token: toAddress(id), splitter: toAddress(splitter), quoteToken: toAddress(7), feeLocker: toAddress(8) },
  } as never,
  deployment: testManifest.current,
});

type Call = { functionName: string; address: Hex; args?: readonly unknown[] };
type Tried = { status: string; result?: unknown };

const abi = [...feeLockerAbi, ...feeSplitterAbi, ...parseAbi(["function balanceOf(address) view returns (uint256)"])];
const decodeCall = ({ target, callData }: { target: Hex; callData: Hex }): Call => {
  const { functionName, args } = decodeFunctionData({ abi, data: callData });
  return { address: target, functionName, args: args as readonly unknown[] };
};
const encodeAnswer = ({ functionName }: Call, { status, result }: Tried) =>
  status === "success"
    ? { success: true, returnData: encodeFunctionResult({ abi, functionName, result } as never) }
    : { success: false, returnData: "0x" as const };

/** Creates a node that answers reads with a function; the first read is at the newest block and includes the block. */
function createChain(answer: (call: Call, read: number, calls: Call[]) => Tried) {
  const reads: Call[][] = [];
  const client = {
    // A read through Multicall3.
    request: async ({ params: [{ data }, block] }: { params: [{ data: Hex }, string] }) => {
      const [all] = decodeFunctionData({ abi: multicall3Abi, data }).args as unknown as [
        Parameters<typeof decodeCall>[0][],
      ];
      const isLatest = block === "latest";
      const calls = all.slice(isLatest ? 2 : 0).map(decodeCall);
      const read = reads.push(calls);
      const at = [head.number, head.timestamp]
        .map((value) => padHex(numberToHex(value), { size: 32 }).slice(2))
        .join("");
      const own = [
        { success: true, returnData: `0x${at}` as Hex },
        { success: true, returnData: "0x" as Hex },
      ];
      const answers = calls.map((call) => encodeAnswer(call, answer(call, read, calls)));
      const result = [...(isLatest ? own : []), ...answers];
      return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result });
    },
    // A read without Multicall3.
    multicall: async ({ contracts, blockTag }: { contracts: Call[]; blockTag?: string }) => {
      const isLatest = blockTag === "latest";
      const calls = isLatest ? contracts.slice(2) : contracts;
      const read = reads.push(calls);
      const block = [{ status: "success", result: [head.number, head.timestamp] }, { status: "failure" }];
      return [...(isLatest ? block : []), ...calls.map((call) => answer(call, read, calls))];
    },
  };
  const request = async ({ method }: { method: string }) => {
    if (method === "eth_chainId") return "0x1";
    if (method === "eth_gasPrice") return "0x5";
    return { number: numberToHex(head.number), timestamp: numberToHex(head.timestamp), hash: "0xaa" };
  };
  return { chain: { client, request, simulationSupport: { failedOverrides: 0 } } as never, reads };
}

const results: Record<string, unknown> = {
  balanceOf: 0n,
  collect: [1n, 1n],
  ledgerOf: {
    collected: 0n,
    protocolCredit: 0n,
    partnerCredit: 0n,
    collaboratorsCredit: 1n,
    protocolTotal: 0n,
    partnerTotal: 0n,
    collaboratorsTotal: 0n,
  },
  payOwed: 0n,
  release: [5n],
};
const succeed = ({ functionName }: Call) => ({ status: "success", result: results[functionName] });
const wallet = toAddress(9) as Hex;
const multicall3 = toAddress(6) as Hex;

test("C7-49 a call that fails after another launch is tried alone before it counts as failing", async () => {
  const groups = groupBySplitter([createLaunch(1, 11), createLaunch(2, 12)]);
  // The calls of the second launch fail in the joint read and succeed alone.
  const { chain, reads } = createChain((call, read) =>
    read === 1 && call.args?.[0] === toAddress(2) ? { status: "failure" } : succeed(call),
  );
  const { state: trials } = await tryClaim({ chain, chainId: 1, multicall3 }, groups, wallet, "all");
  expect(trials.map(({ launches }) => launches[0]!.collect.status)).toEqual(["success", "success"]);
  expect(reads.length).toBe(3);
});

test("reads once if nothing fails, for any number of groups", async () => {
  const groups = groupBySplitter(Array.from({ length: 20 }, (_, i) => createLaunch(100 + i, 200 + i)));
  const { chain, reads } = createChain(succeed);
  const { state: trials } = await tryClaim({ chain, chainId: 1, multicall3 }, groups, wallet, "all");
  expect([trials.length, reads.length]).toEqual([20, 1]);
});

test("without Multicall3 reads ten launches at a time, and merges the parts of a group", async () => {
  const groups = groupBySplitter(Array.from({ length: 20 }, (_, i) => createLaunch(100 + i, i < 15 ? 200 : 200 + i)));
  // Only the second part pays wrapped native.
  const { chain, reads } = createChain((call, _, calls) => {
    const isWrapped = call.functionName === "release" && (call.args![0] as Hex[])[0] === toAddress(7);
    const isFirst = calls.some(({ args }) => args?.[0] === toAddress(100));
    return isWrapped && isFirst ? { status: "success", result: [0n] } : succeed(call);
  });
  const { state: trials } = await tryClaim({ chain, chainId: 1, multicall3: null }, groups, wallet, "all");
  expect(reads.length).toBe(2);
  expect(trials.map(({ launches }) => launches.length)).toEqual([15, 1, 1, 1, 1, 1]);
  expect(trials.map(({ release }) => release.result)).toEqual(Array(6).fill([5n]));
});
