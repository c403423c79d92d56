import { type Hex, numberToHex } from "viem";
import { expect, test } from "vitest";
import { toAddress } from "../../../../../tests/support/server/rows.ts";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { groupBySplitter, tryClaim } from "./claimGroups.ts";

const head = { number: 100n, timestamp: 1_000n };

/** A launch; those of one splitter are a group. */
const createLaunch = (id: number, splitter: number) => ({
  launch: {
    ...{ token: toAddress(id), splitter: toAddress(splitter), quoteToken: toAddress(7), feeLocker: toAddress(8) },
  } as never,
  deployment: testManifest.current,
});

type Call = { functionName: string; address: Hex; args?: readonly unknown[] };

/** A node that answers each read by a function; the first read is at the newest block, with the block itself. */
function createChain(answer: (call: Call, read: number, calls: Call[]) => object) {
  const reads: Call[][] = [];
  const client = {
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
  collect: [1n, 1n],
  ledgerOf: { collaboratorsCredit: 1n },
  payOwed: 0n,
  payoutOf: toAddress(0),
  release: [5n],
};
const succeed = ({ functionName }: Call) => ({ status: "success", result: results[functionName] });
const wallet = toAddress(9) as Hex;
const multicall3 = toAddress(6) as Hex;

test("C7-49 what fails behind another launch is tried alone before it counts as failing", async () => {
  const groups = groupBySplitter([createLaunch(1, 11), createLaunch(2, 12)]);
  // Together the calls of the second launch fail; alone they succeed.
  const { chain, reads } = createChain((call, read) =>
    read === 1 && call.args?.[0] === toAddress(2) ? { status: "failure" } : succeed(call),
  );
  const { trials } = await tryClaim({ chain, chainId: 1, multicall3 }, groups, wallet, "all");
  expect(trials.map(({ launches }) => launches[0]!.collect.status)).toEqual(["success", "success"]);
  expect(reads.length).toBe(3);
});

test("reads once where nothing fails, whatever the number of groups", async () => {
  const groups = groupBySplitter(Array.from({ length: 20 }, (_, i) => createLaunch(100 + i, 200 + i)));
  const { chain, reads } = createChain(succeed);
  const { trials } = await tryClaim({ chain, chainId: 1, multicall3 }, groups, wallet, "all");
  expect([trials.length, reads.length]).toEqual([20, 1]);
});

test("without Multicall3 reads ten launches at a time, and merges the parts of a group", async () => {
  const groups = groupBySplitter(Array.from({ length: 20 }, (_, i) => createLaunch(100 + i, i < 15 ? 200 : 200 + i)));
  // The wrapped native comes with the second part alone.
  const { chain, reads } = createChain((call, _, calls) => {
    const isWrapped = call.functionName === "release" && (call.args![0] as Hex[])[0] === toAddress(7);
    const isFirst = calls.some(({ args }) => args?.[0] === toAddress(100));
    return isWrapped && isFirst ? { status: "success", result: [0n] } : succeed(call);
  });
  const { trials } = await tryClaim({ chain, chainId: 1, multicall3: null }, groups, wallet, "all");
  expect(reads.length).toBe(2);
  expect(trials.map(({ launches }) => launches.length)).toEqual([15, 1, 1, 1, 1, 1]);
  expect(trials.map(({ release }) => release.result)).toEqual(Array(6).fill([5n]));
});
