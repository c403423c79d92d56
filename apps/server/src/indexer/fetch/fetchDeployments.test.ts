import { encodeAbiParameters, keccak256 } from "viem";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcCall } from "../../chain/rpcPool.ts";
import { fetchBirths, splitterCreatedTopic } from "./fetchDeployments.ts";
import type { SeenLaunch } from "./launches.ts";
import type { Sources } from "../sources.ts";
import { createWorld } from "../indexState.ts";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { expect, test } from "vitest";
import { fakeRpc, hashOf, hex } from "../../../../../tests/support/server/fakeRpc.ts";

const launchBlock = 30_000_000;
const splitter = `0x${"5b".repeat(20)}` as const;
const launch = { splitter, blockNumber: launchBlock } as SeenLaunch;
const [pinnedCode, creationCode] = ["0x6001", "0x6002"] as const;
const birthTx = hex(7, 64);
const allocations = [{ payee: splitter, shareBps: 10_000 }];

const world = createWorld({
  ...{ deployments: [], gasStation: null, ethUsd: null },
  splitterTemplates: [
    {
      ...{ creation_code_hash: keccak256(creationCode), runtime_code_hash: keccak256(pinnedCode) },
      immutable_offsets: [],
    },
  ],
} as unknown as Sources);

/** A chain on which `code` stands at the splitter, born in a block or never, whose node takes ranges of `largest`. */
function chainOf({ code, born, largest = 10 ** 9 }: { code: string; born?: number; largest?: number }) {
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
        const [hash, parentHash] = [hashOf(number), hashOf(number - 1)];
        return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [] };
      }
      default: {
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        const [from, to] = [Number(fromBlock), Number(toBlock)];
        if (to - from + 1 > largest) return new RpcError("range", "too many blocks");
        if (born === undefined || born < from || born > to) return [];
        const place = { blockNumber: hex(born), blockHash: hashOf(born), logIndex: "0x0", transactionIndex: "0x0" };
        return [{ address: splitter, topics: [splitterCreatedTopic], data, transactionHash: birthTx, ...place }];
      }
    }
  });
}

test("a contract of other code that is named as a splitter is unproven at once: no log is searched", async () => {
  const { rpc, asked } = chainOf({ code: "0x6000" });
  const [birth] = await fetchBirths(rpc, world, [launch]);
  expect(birth).toMatchObject({ splitter: { proven: false, birth_tx: null }, payees: [], events: [] });
  expect(asked).toHaveLength(1);
});

test("a splitter that is minutes old is proven in a few requests", async () => {
  const { rpc, asked } = chainOf({ code: pinnedCode, born: launchBlock - 1_000 });
  const [birth] = await fetchBirths(rpc, world, [launch]);
  expect(birth).toMatchObject({ splitter: { proven: true, birth_tx: birthTx }, payees: [{ share_bps: 10_000 }] });
  expect(asked.length).toBeLessThan(4);
});

test("one that is days old is found", async () => {
  const { rpc } = chainOf({ code: pinnedCode, born: launchBlock - 4_000_000 });
  const [birth] = await fetchBirths(rpc, world, [launch]);
  expect(birth).toMatchObject({ splitter: { proven: true, birth_tx: birthTx } });
});

test("pinned code that says nothing of its birth is searched for a bounded number of ranges, and is left open", async () => {
  const { rpc, asked } = chainOf({ code: pinnedCode, largest: 10_000 });
  const [birth] = await fetchBirths(rpc, world, [launch]);
  expect(birth!.splitter).toMatchObject({ proven: null, reason: "its birth lies too far back" });
  const searches = asked.filter((calls) => calls.some((call) => call.method === "eth_getLogs"));
  expect(searches.length).toBeLessThanOrEqual(108);
});
