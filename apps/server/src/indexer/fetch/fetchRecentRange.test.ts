import { transferTopic } from "@slipway/protocol/rawLog";
import { expect, test } from "vitest";
import { fakeRpc, hex, toHash } from "../../../../../tests/support/server/fakeRpc.ts";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcCall } from "../../chain/rpcPool.ts";
import { addEmitter, createIndexState } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import type { FetchContext } from "./fetchedRange.ts";
import { fetchRecentRange } from "./fetchRecentRange.ts";

const ours = `0x${"aa".repeat(20)}`;
const strangers = `0x${"bb".repeat(20)}`;

function createContext(rpc: FetchContext["rpc"]): FetchContext {
  const state = createIndexState({
    deployments: [],
    openingFactories: [],
    gasStation: null,
    ethUsd: null,
  } as unknown as Sources);
  addEmitter(state, ours, { station: true });
  return { rpc, state, events: { topics: [transferTopic] } };
}

/** Blocks with one transaction and no bloom, so that any block may contain logs. The last log of a block is watched. */
function createChain(getLogCount: (number: number) => number, maxReceipts = Number.POSITIVE_INFINITY) {
  const answer = ({ method, params }: RpcCall) => {
    const number = Number(params[0]);
    const tx = hex(number + 10 ** 6, 64);
    if (method === "eth_getBlockByNumber") {
      const hash = toHash(number);
      const parentHash = toHash(number - 1);
      return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [tx] };
    }
    const count = getLogCount(number);
    const logs = Array.from({ length: count }, (_, i) => ({
      address: i === count - 1 ? ours : strangers,
      topics: [transferTopic],
      data: "0x",
      logIndex: hex(i),
      blockNumber: hex(number),
      blockHash: toHash(number),
      transactionHash: tx,
      transactionIndex: "0x0",
    }));
    return [{ transactionHash: tx, blockHash: toHash(number), from: strangers, logs }];
  };
  const fake = fakeRpc(answer);
  const { batchSettled } = fake.rpc;
  fake.rpc.batchSettled = async (calls, options) => {
    const answers = await batchSettled(calls, options);
    return calls.length > maxReceipts ? answers.map(() => new RpcError("range", "response size exceeded")) : answers;
  };
  return fake;
}

const getBatchSizes = (asked: readonly RpcCall[][]) =>
  asked.filter(([call]) => call!.method === "eth_getBlockReceipts").map((calls) => calls.length);

test("reads blocks with more logs than the maximum number of function arguments, and returns only watched logs", async () => {
  const { rpc } = createChain(() => 70_000);
  const range = await fetchRecentRange(createContext(rpc), 1, 2);
  expect(range.logs.map((log) => [Number(log.blockNumber), Number(log.logIndex)])).toEqual([
    [1, 69_999],
    [2, 69_999],
  ]);
});

test("blocks full of unwatched logs are requested a few at a time, quiet blocks many together", async () => {
  const full = createChain(() => 5_000);
  const range = await fetchRecentRange(createContext(full.rpc), 1, 20);
  expect(range.logs).toHaveLength(20);
  expect(getBatchSizes(full.asked)).toEqual([8, ...Array.from({ length: 12 }, () => 1)]);

  const quiet = createChain(() => 1);
  await fetchRecentRange(createContext(quiet.rpc), 1, 100);
  expect(getBatchSizes(quiet.asked)).toEqual([8, 16, 32, 44]);
});

test("a node that rejects a long answer gets requests for fewer blocks", async () => {
  const { rpc, asked } = createChain(() => 1, 3);
  const range = await fetchRecentRange(createContext(rpc), 1, 30);
  expect(range.logs.map((log) => Number(log.blockNumber))).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(getBatchSizes(asked).length).toBeLessThan(30);
});
