import { RpcError } from "@slipway/server/chain/rpcError";
import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import type { Random } from "./random.ts";
import type { SimulatedBlock, SimulatedChain } from "./simulatedChain.ts";

/** Faults of the nodes, as probabilities; all zero after the faulty part of a run. */
export type NodeFaults = {
  /** The node does not answer, or returns an HTTP error, broken JSON, or an error object. */
  error: number;
  /** Receipts lack one entry, logs are omitted, or the answer is empty or in another order. */
  wrongReceipts: number;
  /** The maximum number of blocks that the node is behind. */
  lag: number;
  /** The node is still on a fork that was dropped. */
  staleFork: number;
  /** Blocks of which one of several nodes always omits the same logs: its log index has holes. */
  holes: number;
  /** The maximum range of eth_getLogs; the wording of the error varies. */
  rangeLimit: number;
};

export const noFaults: NodeFaults = { error: 0, wrongReceipts: 0, lag: 0, staleFork: 0, holes: 0, rangeLimit: 10 ** 9 };

const refusals = [
  { code: -32005, message: "query returned more than 10000 results" },
  { code: -32600, message: "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range." },
  { code: -32614, message: "eth_getLogs is limited to a 10,000 range" },
  {
    code: -32602,
    message: "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
  },
  { code: -32000, message: "exceed maximum block range: 5000" },
];

const hex = (value: number) => `0x${value.toString(16)}`;

/** Several nodes of one simulated chain, which answer JSON-RPC text. `stale` is the branch before the last fork. */
export function createSimulatedNodes(
  chain: SimulatedChain,
  endpoints: number,
  random: Random,
  faults: () => NodeFaults,
  stale: () => readonly SimulatedBlock[],
): RpcTransport {
  return async (endpoint, body) => {
    const now = faults();
    if (random.chance(now.error)) {
      const way = random.integer(0, 3);
      if (way === 0) throw new RpcError("transient", "RPC endpoint: no answer (ECONNRESET)");
      if (way === 1) throw new RpcError("transient", "RPC endpoint: HTTP 502", 502);
      if (way === 2) return '{"jsonrpc":"2.0","id":1,"resul';
    }
    const branch = random.chance(now.staleFork) && stale().length > 0 ? stale() : chain.blocks;
    const head = Math.max(0, branch.length - 1 - (now.lag > 0 && random.chance(0.3) ? random.integer(0, now.lag) : 0));
    const view = branch.slice(0, head + 1);
    const hasHole = (block: SimulatedBlock) => isInHole(block, endpoint, endpoints, now.holes);
    const calls = JSON.parse(body);
    const answer = (call: { id: number; method: string; params: any[] }) => {
      if (random.chance(now.error / 10)) return { id: call.id, error: { code: -32603, message: "internal error" } };
      return { id: call.id, ...createAnswer(view, call.method, call.params, random, now, hasHole) };
    };
    if (!Array.isArray(calls)) return JSON.stringify(answer(calls));
    const answers = calls.map(answer);
    if (now.error > 0 && random.chance(0.2)) answers.reverse();
    return JSON.stringify(answers);
  };
}

/** Each block's logs may be missing in the index of one node; the other nodes have them. */
function isInHole(block: SimulatedBlock, endpoint: number, endpoints: number, share: number): boolean {
  const [chance, whose] = [block.hash.slice(2, 8), block.hash.slice(8, 14)].map((part) => Number.parseInt(part, 16));
  return endpoints > 1 && chance! / 2 ** 24 < share && whose! % endpoints === endpoint;
}

function createAnswer(
  view: readonly SimulatedBlock[],
  method: string,
  params: any[],
  random: Random,
  faults: NodeFaults,
  hasHole: (block: SimulatedBlock) => boolean,
): object {
  const blockAt = (tag: string) => (tag === "latest" ? view.at(-1) : view[Number(tag)]);
  switch (method) {
    case "eth_chainId":
      return { result: hex(46630) };
    case "eth_getBlockByNumber": {
      const block = blockAt(params[0]);
      return { result: block ? blockJson(block, params[1]) : null };
    }
    case "eth_getBlockReceipts": {
      const block = blockAt(params[0]);
      if (!block) return { result: null };
      const receipts = block.txs.map((tx) => receiptJson(block, tx.hash));
      return { result: random.chance(faults.wrongReceipts) ? corrupt(receipts, random) : receipts };
    }
    case "eth_getLogs":
      return getLogs(view, params[0], random, faults, hasHole);
    case "eth_getTransactionByHash": {
      const block = view.find((candidate) => candidate.txs.some((tx) => tx.hash === params[0]));
      const tx = block?.txs.find((candidate) => candidate.hash === params[0]);
      return {
        result: tx ? { hash: tx.hash, from: tx.from, to: tx.to, input: tx.input, blockHash: block!.hash } : null,
      };
    }
    case "eth_getCode": {
      const deployed = view.flatMap((block) => block.txs.map((tx) => tx.deployed));
      return { result: deployed.find((found) => found?.address === params[0])?.code ?? "0x" };
    }
    case "eth_getTransactionReceipt": {
      const block = view.find((candidate) => candidate.txs.some((tx) => tx.hash === params[0]));
      return { result: block ? receiptJson(block, params[0]) : null };
    }
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist` } };
  }
}

function corrupt(receipts: any[], random: Random): any {
  const way = random.integer(0, 3);
  if (way === 0) return [];
  if (way === 1) return receipts.slice(0, -1);
  if (way === 2) return [...receipts].reverse();
  return receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.slice(1) }));
}

function getLogs(
  view: readonly SimulatedBlock[],
  filter: any,
  random: Random,
  faults: NodeFaults,
  hasHole: (block: SimulatedBlock) => boolean,
): object {
  const from = Number(filter.fromBlock);
  const to = Number(filter.toBlock);
  if (to - from + 1 > faults.rangeLimit) return { error: random.pick(refusals) };
  // Some nodes reject a range that they do not have, others return the available part.
  if (to >= view.length && random.chance(0.5)) return { error: { code: -32000, message: "header not found" } };
  const addresses = filter.address === undefined ? null : new Set([filter.address].flat());
  const topics: (string[] | null)[] = (filter.topics ?? []).map((wanted: string | string[] | null) =>
    wanted === null ? null : [wanted].flat(),
  );
  const result = view
    .slice(from, to + 1)
    .flatMap((block) => {
      // A hole omits a block's logs, or the logs after the first one.
      const logs = hasHole(block) ? block.logs.slice(0, block.number % 2) : block.logs;
      return logs.map((log) => logJson(block, log));
    })
    .filter(
      (log) =>
        (!addresses || addresses.has(log.address)) &&
        topics.every((wanted, i) => wanted === null || wanted.includes(log.topics[i]!)),
    );
  if (faults.error > 0 && random.chance(0.3)) result.reverse();
  if (faults.error > 0 && result.length > 0 && random.chance(0.2)) result.push(result[0]!);
  return { result };
}

function blockJson(block: SimulatedBlock, isFull: boolean): object {
  return {
    number: hex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: hex(block.time),
    logsBloom: block.bloom,
    transactions: block.txs.map((tx) => (isFull ? { hash: tx.hash, from: tx.from } : tx.hash)),
  };
}

function logJson(block: SimulatedBlock, log: SimulatedBlock["logs"][number]) {
  return {
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: hex(block.number),
    blockHash: block.hash,
    transactionHash: log.txHash,
    transactionIndex: hex(block.txs.findIndex((tx) => tx.hash === log.txHash)),
    logIndex: hex(log.logIndex),
    ...(block.number % 2 === 0 ? { blockTimestamp: hex(block.time) } : {}),
  };
}

function receiptJson(block: SimulatedBlock, hash: string) {
  const tx = block.txs.find((candidate) => candidate.hash === hash)!;
  return {
    transactionHash: hash,
    blockHash: block.hash,
    from: tx.from,
    status: "0x1",
    contractAddress: tx.created,
    logs: block.logs.filter((log) => log.txHash === hash).map((log) => logJson(block, log)),
  };
}
