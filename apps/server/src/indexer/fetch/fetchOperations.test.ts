import { entryPoints } from "@slipway/protocol/chains";
import { type RawLog, transferTopic } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { beforeExecutionTopic, userOperationTopic } from "@slipway/protocol/userOperationLog";
import { expect, test } from "vitest";
import type { RpcCall, RpcPool } from "../../chain/rpcPool.ts";
import { fetchOperations, findCandidates } from "./fetchOperations.ts";

const toAddress = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const toTopic = (account: string) => `0x${account.slice(2).padStart(64, "0")}`;
const [token, pool, sender, ann, bob, stranger] = [1, 2, 3, 4, 5, 6].map(toAddress) as [
  ...[string, string, string, string, string, string],
];
const [entryPoint] = [...entryPoints] as [string];

const blockHash = `0x${"b".repeat(64)}`;

type Part = Pick<RawLog, "address"> & { topics: string[] };

/** Logs of a transaction in block 1. */
const toLogs = (hash: string, parts: readonly Part[]): RawLog[] =>
  parts.map((part, i) => ({
    ...part,
    data: `0x${"0".repeat(64 * 5)}`,
    blockNumber: "0x1",
    blockHash,
    transactionHash: hash,
    transactionIndex: "0x0",
    logIndex: `0x${i.toString(16)}`,
  }));
const transfer = (from: string, to: string, address = token): Part => ({
  address,
  topics: [transferTopic, toTopic(from), toTopic(to)],
});
const swap: Part = { address: pool, topics: [swapTopic, toTopic(sender), toTopic(sender)] };
const ended = (account: string, address = entryPoint): Part => ({
  address,
  topics: [userOperationTopic, toTopic(ann), toTopic(account), toTopic(ann)],
});
const begun: Part = { address: entryPoint, topics: [beforeExecutionTopic] };

/** A node with transactions in block 1, which answers filters like eth_getLogs. */
function createNode(transactions: Record<string, readonly RawLog[]>, endpoints = 1) {
  const asked: RpcCall[] = [];
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method === "eth_getBlockByNumber") {
      const hashes = Object.keys(transactions);
      const word = `0x${"0".repeat(64)}`;
      const times = { timestamp: "0x1", logsBloom: `0x${"0".repeat(512)}`, transactions: hashes };
      return { number: "0x1", hash: blockHash, parentHash: word, ...times };
    }
    if (method === "eth_getTransactionReceipt") {
      const logs = transactions[params[0] as string];
      return logs === undefined ? null : { blockHash: logs[0]!.blockHash, logs };
    }
    const filter = params[0] as { address: string[]; topics: (string[] | null)[] };
    return Object.values(transactions)
      .flat()
      .filter(
        (log) =>
          filter.address.includes(log.address) &&
          filter.topics.every((wanted, i) => wanted === null || wanted.includes(log.topics[i]!)),
      );
  };
  const batch = async (calls: readonly RpcCall[]) => {
    asked.push(...calls);
    return structuredClone(calls.map(answer));
  };
  const rpc = { endpoints, other: () => null, batch } as unknown as RpcPool;
  const count = (method: string) => asked.filter((call) => call.method === method).length;
  return { rpc, asked, count };
}

async function find(node: ReturnType<typeof createNode>, logs: readonly RawLog[], hash = blockHash) {
  const trades = logs.filter(({ topics }) => topics[0] === swapTopic).map((log) => ({ ...log, blockHash: hash }));
  const senders = new Map(trades.map((trade) => [trade.transactionHash, sender]));
  const candidates = findCandidates(logs, new Set([pool]), senders);
  return await fetchOperations(node.rpc, { from: 1, to: 1, trades, candidates });
}

test("a range whose accounts trade for themselves costs no call", async () => {
  const logs = toLogs("0x1", [transfer(pool, sender), swap]);
  const node = createNode({ "0x1": logs });
  expect(await find(node, logs)).toEqual({ operations: new Map(), calls: 0 });
  expect(node.asked).toEqual([]);
});

test("C2-73 all marks of a transaction with an operation of a candidate are found, and no marks of other transactions", async () => {
  const bundle = toLogs("0x1", [begun, transfer(pool, ann), swap, ended(ann), ended(bob), ended(bob, stranger)]);
  const relayed = toLogs("0x2", [transfer(pool, bob), swap]);
  const unrelated = toLogs("0x3", [begun, ended(ann)]);
  const node = createNode({ "0x1": bundle, "0x2": relayed, "0x3": unrelated });
  const { operations, calls } = await find(node, [...bundle, ...relayed]);
  expect([...operations]).toEqual([
    [
      "0x1",
      [
        { entryPoint, logIndex: 0, sender: null },
        { entryPoint, logIndex: 3, sender: ann },
        { entryPoint, logIndex: 4, sender: bob },
      ],
    ],
  ]);
  expect(calls).toBe(node.asked.length);
  expect(node.count("eth_getTransactionReceipt")).toBe(1);
});

test("the number of requests for logs is one for every 500 candidates", async () => {
  const receivers = Array.from({ length: 1_001 }, (_, i) => transfer(pool, toAddress(0x10_000 + i)));
  const logs = toLogs("0x1", [...receivers, swap]);
  const node = createNode({ "0x1": logs });
  await find(node, logs);
  expect(node.count("eth_getLogs")).toBe(3);
});

test("C2-73 while only one of several endpoints answers, operations are read from receipts", async () => {
  const bundle = toLogs("0x1", [begun, transfer(pool, ann), swap, ended(ann)]);
  const own = toLogs("0x2", [transfer(pool, sender), swap]);
  const node = createNode({ "0x1": bundle, "0x2": own }, 2);
  const { operations } = await find(node, [...bundle, ...own]);
  expect(operations.get("0x1")).toHaveLength(2);
  expect(node.count("eth_getTransactionReceipt")).toBe(1);
});

test("C2-73 a receipt that is missing or of another block is refused", async () => {
  const bundle = toLogs("0x1", [begun, transfer(pool, ann), swap, ended(ann)]);
  await expect(find(createNode({ "0x1": bundle }), bundle, "0xc")).rejects.toMatchObject({ kind: "transient" });
});
