import { transferTopic } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcCall } from "../../chain/rpcPool.ts";
import { fetchRecentRange } from "./fetchRecentRange.ts";
import { addEmitter, createWorld } from "../indexState.ts";
import type { Sources } from "../sources.ts";
import { expect, test } from "vitest";
import { fakeRpc, hashOf, hex } from "../../../../../tests/support/server/fakeRpc.ts";

const ours = `0x${"aa".repeat(20)}`;
const strangers = `0x${"bb".repeat(20)}`;

function worldWithOurs() {
  const world = createWorld({ deployments: [], gasStation: null, ethUsd: null } as unknown as Sources);
  addEmitter(world, ours, { station: true });
  return world;
}

/** Blocks of one transaction with so many logs each, the last of them ours; no blooms, so that all may hold something. */
function chainOf(logsOfBlock: (number: number) => number, mostReceipts = Number.POSITIVE_INFINITY) {
  const answer = ({ method, params }: RpcCall) => {
    const number = Number(params[0]);
    const tx = hex(number + 10 ** 6, 64);
    if (method === "eth_getBlockByNumber") {
      const [hash, parentHash] = [hashOf(number), hashOf(number - 1)];
      return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [tx] };
    }
    const count = logsOfBlock(number);
    const logs = Array.from({ length: count }, (_, i) => ({
      ...{ address: i === count - 1 ? ours : strangers, topics: [transferTopic], data: "0x", logIndex: hex(i) },
      ...{ blockNumber: hex(number), blockHash: hashOf(number), transactionHash: tx, transactionIndex: "0x0" },
    }));
    return [{ transactionHash: tx, blockHash: hashOf(number), from: strangers, logs }];
  };
  const fake = fakeRpc(answer);
  const { batchSettled } = fake.rpc;
  fake.rpc.batchSettled = async (calls, options) => {
    const answers = await batchSettled(calls, options);
    return calls.length > mostReceipts ? answers.map(() => new RpcError("range", "response size exceeded")) : answers;
  };
  return fake;
}

const blocksAskedAtOnce = (asked: readonly RpcCall[][]) =>
  asked.filter(([call]) => call!.method === "eth_getBlockReceipts").map((calls) => calls.length);

test("blocks that hold more logs together than a function takes arguments are read, and only ours are kept", async () => {
  const { rpc } = chainOf(() => 70_000);
  const range = await fetchRecentRange(rpc, worldWithOurs(), 1, 2);
  expect(range.logs.map((log) => [Number(log.blockNumber), Number(log.logIndex)])).toEqual([
    [1, 69_999],
    [2, 69_999],
  ]);
});

test("blocks full of strangers' logs are asked for a few at a time, quiet ones many at once", async () => {
  const full = chainOf(() => 5_000);
  const range = await fetchRecentRange(full.rpc, worldWithOurs(), 1, 20);
  expect(range.logs).toHaveLength(20);
  expect(blocksAskedAtOnce(full.asked)).toEqual([8, ...Array.from({ length: 12 }, () => 1)]);

  const quiet = chainOf(() => 1);
  await fetchRecentRange(quiet.rpc, worldWithOurs(), 1, 100);
  expect(blocksAskedAtOnce(quiet.asked)).toEqual([8, 16, 32, 44]);
});

test("a node that refuses so long an answer is asked for fewer blocks", async () => {
  const { rpc, asked } = chainOf(() => 1, 3);
  const range = await fetchRecentRange(rpc, worldWithOurs(), 1, 30);
  expect(range.logs.map((log) => Number(log.blockNumber))).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(blocksAskedAtOnce(asked).length).toBeLessThan(30);
});
