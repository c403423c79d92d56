import { encodeSplitterClone, splitterCreationInput } from "@slipway/protocol/splitter";
import { encodeAbiParameters, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { fakeRpc, hex, toHash } from "../../../../../tests/support/server/fakeRpc.ts";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcCall } from "../../chain/rpcPool.ts";
import { createIndexState } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import { factoryCreatedTopic, fetchDeployments, splitterCreatedTopic } from "./fetchDeployments.ts";
import type { FetchedLaunch } from "./fetchPreLaunchStates.ts";

const launchBlock = 30_000_000;
const toAddress = (byte: string): Hex => `0x${byte.repeat(20)}`;
const splitter = toAddress("5b");
const factory = toAddress("5f");
const implementation = toAddress("51");
const payee = toAddress("ee");
const launch = { splitter, blockNumber: launchBlock } as FetchedLaunch;
const earlierImplementation = toAddress("53");
const creationTx = hex(7, 64);
const allocations = [{ payee, shareBps: 10_000 }];
const clone = encodeSplitterClone(implementation, allocations);

const state = createIndexState({
  openingFactories: [],
  deployments: [],
  gasStation: null,
  ethUsd: null,
  splitters: [
    { factory: toAddress("5e"), implementation: earlierImplementation },
    { factory, implementation },
  ],
} as unknown as Sources);

type Created = { at: number; by: Hex; topics?: string[] };
type TestChain = { code: string; created?: Created; input?: Hex; maxBlocks?: number };

/** A chain with `code` at the splitter. Its node accepts ranges of `maxBlocks` and filters only by the first topic. */
function createChain({ code, created, input, maxBlocks = 10 ** 9 }: TestChain) {
  const data = encodeAbiParameters([{ type: "address[]" }, { type: "uint16[]" }], [[payee], [10_000]]);
  return fakeRpc(({ method, params }: RpcCall) => {
    switch (method) {
      case "eth_getCode":
        return code;
      case "eth_getTransactionByHash":
        return { to: null, input: input ?? splitterCreationInput(implementation, allocations) };
      case "eth_getTransactionReceipt":
        return { contractAddress: splitter, status: "0x1" };
      case "eth_getBlockByNumber": {
        const number = Number(params[0]);
        const hash = toHash(number);
        const parentHash = toHash(number - 1);
        return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [] };
      }
      default: {
        const filter = params[0] as { fromBlock: string; toBlock: string; topics: string[][] };
        const from = Number(filter.fromBlock);
        const to = Number(filter.toBlock);
        if (to - from + 1 > maxBlocks) return new RpcError("range", "too many blocks");
        if (created === undefined || created.at < from || created.at > to) return [];
        const topics = created.topics ?? [splitterCreatedTopic];
        if (!filter.topics[0]!.includes(topics[0]!)) return [];
        const place = {
          blockNumber: hex(created.at),
          blockHash: toHash(created.at),
          logIndex: "0x0",
          transactionIndex: "0x0",
        };
        return [{ address: created.by, topics, data, transactionHash: creationTx, ...place }];
      }
    }
  });
}

const fetch = async (chain: TestChain) => {
  const { rpc, asked } = createChain(chain);
  const [deployment] = await fetchDeployments(rpc, state, [launch]);
  return { deployment: deployment!, asked };
};
const bySelf = (at: number): Created => ({ at, by: splitter });
const byFactory = (at: number, by: Hex = factory, of: Hex = splitter): Created => ({
  at,
  by,
  topics: [factoryCreatedTopic, `0x${of.slice(2).padStart(64, "0")}`, `0x${"00".repeat(32)}`],
});
const proven = { splitter: { proven: true, birth_tx: creationTx }, payees: [{ payee, share_bps: 10_000 }] };

describe("fetchDeployments", () => {
  test.each([
    ["other code", "0x6000"],
    ["a clone of another implementation", encodeSplitterClone(toAddress("52"), allocations)],
    ["a clone with a byte behind its entries", `${clone}00`],
    ["a clone whose shares do not sum to 10000", encodeSplitterClone(implementation, [{ payee, shareBps: 9_999 }])],
  ])("C7-30 a contract with %s is unproven without a search for logs", async (_, code) => {
    const { deployment, asked } = await fetch({ code, created: byFactory(launchBlock - 1) });
    expect(deployment).toMatchObject({ splitter: { proven: false, birth_tx: null }, payees: [], events: [] });
    expect(asked).toHaveLength(1);
  });

  test("a clone that is minutes old is proven by its creation transaction in a few requests", async () => {
    const { deployment, asked } = await fetch({ code: clone, created: bySelf(launchBlock - 1_000) });
    expect(deployment).toMatchObject(proven);
    expect(asked.length).toBeLessThan(5);
  });

  test("a clone of the factory is proven by the factory's event, also days later", async () => {
    expect((await fetch({ code: clone, created: byFactory(launchBlock - 4_000_000) })).deployment).toMatchObject(
      proven,
    );
  });

  test("a clone of an earlier deployment's implementation is proven by its creation transaction", async () => {
    const input = splitterCreationInput(earlierImplementation, allocations);
    const code = encodeSplitterClone(earlierImplementation, allocations);
    expect((await fetch({ code, created: bySelf(launchBlock - 4_000_000), input })).deployment).toMatchObject(proven);
  });

  test("C7-31 a clone whose creation code contains more than the pinned code is unproven", async () => {
    const input: Hex = `0x6001600055${splitterCreationInput(implementation, allocations).slice(2)}`;
    const { deployment } = await fetch({ code: clone, created: bySelf(launchBlock - 1_000), input });
    expect(deployment.splitter).toMatchObject({
      proven: false,
      reason: "it was not created by the pinned creation code",
    });
  });

  test.each([
    ["of a stranger's factory", byFactory(launchBlock - 1_000, toAddress("66"))],
    ["about another splitter", byFactory(launchBlock - 1_000, factory, toAddress("67"))],
  ])("C7-31 an event %s proves nothing", async (_, created) => {
    expect((await fetch({ code: clone, created })).deployment).toMatchObject({
      splitter: { proven: null },
      payees: [],
    });
  });

  test("the factory's event of a splitter without code is requested again, because the node lags", async () => {
    await expect(fetch({ code: "0x", created: byFactory(launchBlock - 1) })).rejects.toMatchObject({
      kind: "transient",
    });
  });

  test("the search for the creation of pinned code without an event stops undecided after a bounded number of ranges", async () => {
    const { deployment, asked } = await fetch({ code: clone, maxBlocks: 10_000 });
    expect(deployment.splitter).toMatchObject({
      proven: null,
      reason: "its SplitterCreated event is older than the search depth",
    });
    const searches = asked.filter((calls) => calls.some((call) => call.method === "eth_getLogs"));
    expect(searches.length).toBeLessThanOrEqual(216);
  });
});
