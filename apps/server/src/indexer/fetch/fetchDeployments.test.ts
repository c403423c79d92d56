import { encodeAbiParameters, keccak256 } from "viem";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcCall } from "../../chain/rpcPool.ts";
import { fetchDeployments, splitterCreatedTopic } from "./fetchDeployments.ts";
import type { FetchedLaunch } from "./fetchLaunches.ts";
import { createIndexState } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { expect, test } from "vitest";
import { fakeRpc, toHash, hex } from "../../../../../tests/support/server/fakeRpc.ts";

const launchBlock = 30_000_000;
const splitter = `0x${"5b".repeat(20)}` as const;
const launch = { splitter, blockNumber: launchBlock } as FetchedLaunch;
const [pinnedCode, creationCode] = ["0x6001", "0x6002"] as const;
const creationTx = hex(7, 64);
const allocations = [{ payee: splitter, shareBps: 10_000 }];

const state = createIndexState({
  ...{ deployments: [], gasStation: null, ethUsd: null },
  splitterTemplates: [
    {
      ...{ creation_code_hash: keccak256(creationCode), runtime_code_hash: keccak256(pinnedCode) },
      immutable_offsets: [],
    },
  ],
} as unknown as Sources);

/** A chain with `code` at the splitter, created in a block or never, whose node accepts ranges of `maxBlocks`. */
function createChain({
  code,
  createdAt,
  maxBlocks = 10 ** 9,
}: {
  code: string;
  createdAt?: number;
  maxBlocks?: number;
}) {
  const data = encodeAbiParameters([{ type: "address[]" }, { type: "uint16[]" }], [[splitter], [10_000]]);
  return fakeRpc(({ method, params }: RpcCall) => {
    switch (method) {
      case "eth_getCode":
        return code;
      case "eth_getTransactionByHash":
        return { to: null, input: splitterCreationInput(creationCode, allocations) };
      case "eth_getTransactionReceipt":
        return { contractAddress: splitter, status: "0x1" };
      case "eth_getBlockByNumber": {
        const number = Number(params[0]);
        const [hash, parentHash] = [toHash(number), toHash(number - 1)];
        return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [] };
      }
      default: {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        const [from, to] = [Number(fromBlock), Number(toBlock)];
        if (to - from + 1 > maxBlocks) return new RpcError("range", "too many blocks");
        if (createdAt === undefined || createdAt < from || createdAt > to) return [];
        const place = {
          blockNumber: hex(createdAt),
          blockHash: toHash(createdAt),
          logIndex: "0x0",
          transactionIndex: "0x0",
        };
        return [{ address: splitter, topics: [splitterCreatedTopic], data, transactionHash: creationTx, ...place }];
      }
    }
  });
}

test("a contract of other code that is named as a splitter is unproven without a search for logs", async () => {
  const { rpc, asked } = createChain({ code: "0x6000" });
  const [deployment] = await fetchDeployments(rpc, state, [launch]);
  expect(deployment).toMatchObject({ splitter: { proven: false, birth_tx: null }, payees: [], events: [] });
  expect(asked).toHaveLength(1);
});

test("a splitter that is minutes old is proven in a few requests", async () => {
  const { rpc, asked } = createChain({ code: pinnedCode, createdAt: launchBlock - 1_000 });
  const [deployment] = await fetchDeployments(rpc, state, [launch]);
  expect(deployment).toMatchObject({
    splitter: { proven: true, birth_tx: creationTx },
    payees: [{ share_bps: 10_000 }],
  });
  expect(asked.length).toBeLessThan(4);
});

test("the deployment of a splitter that is days old is found", async () => {
  const { rpc } = createChain({ code: pinnedCode, createdAt: launchBlock - 4_000_000 });
  const [deployment] = await fetchDeployments(rpc, state, [launch]);
  expect(deployment).toMatchObject({ splitter: { proven: true, birth_tx: creationTx } });
});

test("the search for the creation of pinned code without an event ends after a bounded number of ranges, undecided", async () => {
  const { rpc, asked } = createChain({ code: pinnedCode, maxBlocks: 10_000 });
  const [deployment] = await fetchDeployments(rpc, state, [launch]);
  expect(deployment!.splitter).toMatchObject({
    proven: null,
    reason: "its SplitterCreated event is older than the search depth",
  });
  const searches = asked.filter((calls) => calls.some((call) => call.method === "eth_getLogs"));
  expect(searches.length).toBeLessThanOrEqual(108);
});
