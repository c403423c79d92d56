import { SlipwayError } from "@slipway/protocol/errors";
import { type Hex, numberToHex } from "viem";
import { expect, test } from "vitest";
import { testManifest } from "../../../../tests/support/server/testManifest.ts";
import { createSeenHeads, createSeenReads } from "../chain/lastSeen.ts";
import { definePreparation, type Preparation } from "./preparation.ts";

const wallet: Hex = `0x${"1".repeat(40)}`;
const target: Hex = `0x${"2".repeat(40)}`;
const hash = `0x${"a".repeat(64)}`;

/** Creates a node with newest block 100. `fails`: methods that fail, and data of calls that revert. */
function createDeps(fails: readonly string[] = [], hashAtEnd = hash) {
  const methods: string[] = [];
  const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
    methods.push(method);
    if (fails.includes(method)) throw new SlipwayError("chain_unavailable", `${method} fails`);
    if (method === "eth_chainId") return numberToHex(testManifest.chain_id);
    if (method === "eth_gasPrice") return "0x5";
    if (method === "eth_getBalance") return "0x64";
    if (method === "eth_getBlockByNumber") {
      return { number: "0x64", timestamp: "0x3e8", hash: params[0] === "latest" ? hash : hashAtEnd };
    }
    const [{ blockStateCalls }] = params as [{ blockStateCalls: [{ calls: { input: string }[] }] }];
    const calls = blockStateCalls[0].calls.map(({ input }) => ({
      status: fails.includes(input) ? "0x0" : "0x1",
      returnData: "0x",
      gasUsed: "0x186a0",
    }));
    return [{ calls }];
  };
  const clock = { now: () => 0 };
  const chain = {
    request,
    heads: createSeenHeads(clock),
    seenReads: createSeenReads(clock),
    simulationSupport: { calls: true, creations: true, failedOverrides: 0 },
  };
  const readModel = { getEthUsd: async () => ({ oracle: { price: null } }) };
  return { deps: { chain, clock: { now: () => 0 }, readModel } as never, methods };
}

type Order = { wallet: Hex; shape: "transaction" | "batch" };
const createCalls = (data: Hex) => [{ from: wallet, to: target, data, value: 0n }];
const outcome = {
  status: "ready" as const,
  step: { index: 1, total: 1, description: "Swap" },
  next: null,
};

/** Prepares an order whose first candidate has the data 0x01, and the second 0x02. */
async function run(
  { deps }: ReturnType<typeof createDeps>,
  shape: Order["shape"] = "batch",
  changes: Partial<Preparation<Order, null, never, undefined, unknown>> = {},
) {
  const prepare = definePreparation({
    action: "swap",
    read: () => null,
    plan: (context: { order: Order }, _state: null) => ({
      shape: context.order.shape,
      candidates: [{ calls: createCalls("0x01") }, { calls: createCalls("0x02") }],
      reads: { answer: async () => 42 },
    }),
    check: ({ answers }) => ({ ...outcome, fields: answers }),
    ...(changes as object),
  });
  const proven = { manifest: testManifest, sha256: "0xaa", verifiedAtBlock: 1n };
  return (await prepare(deps, proven, { wallet, shape }, "request")) as Awaited<ReturnType<typeof prepare>> & {
    answer?: number;
  };
}

test("a batch with one call has calls and a transaction, a transaction has no calls", async () => {
  const batch = await run(createDeps());
  expect(batch).toMatchObject({ status: "ready", block_number: "100", answer: 42, transaction: { data: "0x01" } });
  expect(batch.calls).toEqual([{ to: target, data: "0x01", value: "0x0" }]);
  expect(await run(createDeps(), "transaction")).not.toHaveProperty("calls");
});

test("uses the next candidate if the first reverts", async () => {
  expect((await run(createDeps(["0x01"]))).transaction?.data).toBe("0x02");
  await expect(run(createDeps(["0x01", "0x02"]))).rejects.toMatchObject({ code: "simulation_reverted" });
});

test("errors have the precedence: replaced block, read, check of the reads, simulation", async () => {
  const reverting = ["0x01", "0x02"];
  const fail = (message: string) => {
    throw new Error(message);
  };
  const plan = () => ({
    shape: "batch",
    candidates: [{ calls: createCalls("0x01") }],
    reads: { answer: async () => fail("of a read") },
  });
  const checkReads = () => fail("of the wallet");
  await expect(run(createDeps(reverting, "0xbb"), "batch", { plan } as never)).rejects.toThrow("was replaced");
  await expect(run(createDeps(reverting), "batch", { plan, checkReads } as never)).rejects.toThrow("of a read");
  await expect(run(createDeps(reverting), "batch", { checkReads } as never)).rejects.toThrow("of the wallet");
  await expect(run(createDeps(reverting))).rejects.toMatchObject({ code: "simulation_reverted" });
});

test("an outcome of `checkReads` needs no simulation", async () => {
  const checkReads = () => ({ ...outcome, status: "nothing_to_do" });
  const result = await run(createDeps(["0x01", "0x02"]), "batch", { checkReads } as never);
  expect(result).toMatchObject({ status: "nothing_to_do", transaction: null, calls: [] });
});

test("reads the balance last in the round, with the hash of the block", async () => {
  const made = createDeps();
  await run(made);
  expect(made.methods.slice(-2)).toEqual(["eth_getBalance", "eth_getBlockByNumber"]);
});
