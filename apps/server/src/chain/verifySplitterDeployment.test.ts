import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { encodeSplitterClone, splitterCreationInput } from "@slipway/protocol/splitter";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "./rpcError.ts";
import { findSplitterCreation, verifySplitterDeployment } from "./verifySplitterDeployment.ts";

const splitter = "0x00000000000000000000000000000000000000f1";
const [factory, implementation, payee] = (["5f", "51", "ee"] as const).map((byte) => `0x${byte.repeat(20)}` as Hex);
const deployment = {
  deployment_block: 1_000,
  splitter_factory: { address: factory! },
  splitter_implementation: { address: implementation! },
} as LaunchDeployment;
const allocations = [{ payee: payee!, shareBps: 10_000 }];
const clone = encodeSplitterClone(implementation!, allocations);
const head = { number: 2_000_000n, timestamp: 0n, hash: "0x", gasPriceInWei: 0n } as const;

/** Creates a chain with one splitter deployment. Its node rejects log queries above `maxRange` blocks. */
function createChain(deploymentBlock: number | null, maxRange = Number.POSITIVE_INFINITY) {
  const ranges: [number, number][] = [];
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === "eth_getCode") return clone;
    if (method === "eth_call") return `0x${"0".repeat(64)}`;
    const { fromBlock, toBlock, address } = (params as [{ fromBlock: string; toBlock: string; address: string }])[0];
    const [from, to] = [Number(fromBlock), toBlock === "latest" ? Number(head.number) : Number(toBlock)];
    if (to - from >= maxRange) throw new RpcError("range", "block range is too wide");
    ranges.push([from, to]);
    const isInside = deploymentBlock !== null && from <= deploymentBlock && deploymentBlock <= to;
    return isInside ? [{ address, transactionHash: "0xb1" }] : [];
  };
  return { request, ranges };
}

const find = (chain: ReturnType<typeof createChain>) => findSplitterCreation(chain, splitter, deployment, head.number);

describe("findSplitterCreation", () => {
  test("finds a recently deployed splitter with one query", async () => {
    const chain = createChain(1_999_000);
    expect(await find(chain)).toEqual({ code: clone, isFactoryMade: false, transactionHashes: ["0xb1"] });
    expect(chain.ranges).toHaveLength(1);
  });

  test("searches all older blocks with one query if the node allows it", async () => {
    const chain = createChain(1_500);
    expect((await find(chain)).transactionHashes).toEqual(["0xb1"]);
    expect(chain.ranges).toHaveLength(2);
  });

  test("otherwise searches backwards in ranges, each block once and no block before the deployment", async () => {
    const chain = createChain(1_000, 60_000);
    expect((await find(chain)).transactionHashes).toEqual(["0xb1"]);
    const covered = chain.ranges.sort(([a], [b]) => a - b);
    expect(covered[0]![0]).toBe(1_000);
    expect(covered.at(-1)![1]).toBe(2_000_000);
    expect(covered.slice(1).map(([from]) => from)).toEqual(covered.slice(0, -1).map(([, to]) => to + 1));
  });

  test("rejects with chain_unavailable for a malformed response", async () => {
    const request = async ({ method }: { method: string }) => {
      if (method === "eth_getCode") return null;
      return method === "eth_call" ? `0x${"0".repeat(64)}` : [];
    };
    await expect(findSplitterCreation({ request }, splitter, deployment, head.number)).rejects.toMatchObject({
      code: "chain_unavailable",
    });
  });

  test("finds no creation on a chain without one, and rejects the splitter", async () => {
    const creation = await find(createChain(null, 60_000));
    expect(creation.transactionHashes).toEqual([]);
    await expect(
      verifySplitterDeployment(createChain(null), splitter, creation, deployment, head),
    ).rejects.toMatchObject({
      code: "splitter_mismatch",
    });
  });

  test("rejects a contract that emitted SplitterCreated twice", async () => {
    const twice = { code: clone, isFactoryMade: false, transactionHashes: ["0xb1", "0xb2"] as Hex[] };
    const proof = verifySplitterDeployment(createChain(null), splitter, twice, deployment, head);
    await expect(proof).rejects.toMatchObject({ code: "splitter_mismatch" });
  });
});

describe("a splitter that is a clone", () => {
  const shares = [{ payee: expect.stringMatching(new RegExp(payee!, "i")), shareBps: 10_000 }];

  /** Creates a chain with code at the splitter, the factory's record, and the event's creation transaction, if any. */
  function createCloneChain({ code = clone, isRecorded = false, input = null as Hex | null }) {
    const asked: { method: string; params: readonly unknown[] }[] = [];
    const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      asked.push({ method, params });
      switch (method) {
        case "eth_getCode":
          return code;
        case "eth_call":
          return `0x${(isRecorded ? "1" : "0").padStart(64, "0")}`;
        case "eth_getLogs":
          return input === null ? [] : [{ address: splitter, transactionHash: "0xb1" }];
        case "eth_getTransactionByHash":
          return { to: null, input };
        default:
          return { contractAddress: splitter, status: "0x1" };
      }
    };
    return { request, asked };
  }
  const verify = async (chain: ReturnType<typeof createCloneChain>) =>
    await verifySplitterDeployment(
      chain,
      splitter,
      await findSplitterCreation(chain, splitter, deployment, head.number),
      deployment,
      head,
    );

  test("is proven by the factory's record at the head, without a search for events in older blocks", async () => {
    const chain = createCloneChain({ isRecorded: true });
    expect(await verify(chain)).toEqual(shares);
    const calls = chain.asked.filter(({ method }) => method === "eth_call").map(({ params }) => params);
    const call = { to: factory, input: expect.any(String) };
    expect(calls).toEqual([
      [call, "latest"],
      [call, "0x1e8480"],
    ]);
    expect(chain.asked.filter(({ method }) => method === "eth_getLogs")).toHaveLength(1);
  });

  test("is proven by its creation transaction", async () => {
    expect(await verify(createCloneChain({ input: splitterCreationInput(implementation!, allocations) }))).toEqual(
      shares,
    );
  });

  test.each([
    ["code of another implementation, even with the factory's record", { code: `${clone}00` as Hex, isRecorded: true }],
    ["other creation code", { input: `0x6001${splitterCreationInput(implementation!, allocations).slice(2)}` as Hex }],
    ["neither a record nor an event", {}],
  ])("is rejected with %s", async (_, chain) => {
    await expect(verify(createCloneChain(chain))).rejects.toMatchObject({ code: "splitter_mismatch" });
  });

  test("an unreadable record is chain_unavailable", async () => {
    const { request } = createCloneChain({});
    const broken = async (call: { method: string; params?: readonly unknown[] }) =>
      call.method === "eth_call" ? "0x" : await request(call);
    const found = findSplitterCreation({ request: broken }, splitter, deployment, head.number);
    await expect(found).rejects.toMatchObject({ code: "chain_unavailable" });
  });
});
