import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { BatchOptions, Raw, RpcPool } from "../../chain/rpcPool.ts";
import { createBloom, equalBlooms, isEmptyOrFull, readBloom } from "./bloom.ts";
import { type Header, isHash, toQuantity } from "./headers.ts";
import { readLogs, sortLogs } from "./readLogs.ts";

/** All logs of a block and the sender of each of its transactions. */
export type BlockLogs = { logs: RawLog[]; senders: Map<string, string> };

type RawReceipt = { transactionHash?: unknown; blockHash?: unknown; from?: unknown; logs?: unknown };

/**
 * Fetches the complete logs of blocks with known headers, by eth_getBlockReceipts. If the node does not support that
 * method, by eth_getLogs with the block hash and by the block's transactions.
 *
 * Rejects an incomplete answer: the receipts must match the header's transactions one by one, and the bloom of the logs
 * must equal the header's bloom. So it never accepts an empty answer for a block that contains logs (C2-08).
 *
 * @throws RpcError malformed when the answer contradicts the header.
 */
export async function fetchBlockLogs(
  rpc: RpcPool,
  headers: readonly Header[],
  options: Pick<BatchOptions, "signal" | "endpoint" | "onAnswer">,
): Promise<BlockLogs[]> {
  if (headers.length === 0) return [];
  const calls = headers.map((header) => ({ method: "eth_getBlockReceipts", params: [toQuantity(header.number)] }));
  const answers = await rpc.batchSettled(calls, options);
  const first = answers[0];
  if (first instanceof RpcError && first.kind === "unsupported") return await fetchByLogs(rpc, headers, options);
  return answers.map((answer, i) => {
    if (answer instanceof RpcError) throw answer;
    return readReceipts(answer, headers[i]!);
  });
}

function readReceipts(raw: Raw<unknown>, header: Header): BlockLogs {
  if (!Array.isArray(raw)) throw new RpcError("transient", `RPC: receipts of block ${header.number} are missing`);
  const receipts = raw as RawReceipt[];
  const senders = new Map<string, string>();
  const logs: RawLog[] = [];
  for (const receipt of receipts) {
    const { transactionHash, blockHash, from } = receipt;
    if (!isHash(transactionHash) || typeof from !== "string") throw contradiction(header, "malformed receipt");
    if (blockHash !== header.hash) throw new RpcError("transient", `RPC: block ${header.number} was replaced`);
    senders.set(transactionHash, from.toLowerCase());
    for (const log of readLogs(receipt.logs as Raw<unknown>)) logs.push(log);
  }
  const isWhole = receipts.length === header.transactions.length && header.transactions.every((tx) => senders.has(tx));
  if (!isWhole) throw contradiction(header, "receipts do not match its transactions");
  return { logs: checkLogs(logs, header), senders };
}

async function fetchByLogs(
  rpc: RpcPool,
  headers: readonly Header[],
  options: Pick<BatchOptions, "signal" | "endpoint" | "onAnswer">,
): Promise<BlockLogs[]> {
  const answers = await rpc.batch(
    headers.flatMap((header) => [
      { method: "eth_getLogs", params: [{ blockHash: header.hash }] },
      { method: "eth_getBlockByHash", params: [header.hash, true] },
    ]),
    options,
  );
  return headers.map((header, i) => {
    const block = answers[2 * i + 1] as unknown as { transactions?: { hash: string; from: string }[] } | null;
    if (!block || !Array.isArray(block.transactions)) {
      throw new RpcError("transient", `RPC: block ${header.number} is missing`);
    }
    const senders = new Map(block.transactions.map((tx) => [tx.hash, tx.from.toLowerCase()]));
    return { logs: checkLogs(readLogs(answers[2 * i]!), header), senders };
  });
}

function checkLogs(logs: RawLog[], header: Header): RawLog[] {
  const sorted = sortLogs(logs);
  for (const [i, log] of sorted.entries()) {
    if (log.blockHash !== header.hash) {
      throw new RpcError("transient", `RPC: block ${header.number} was replaced`);
    }
    // Log indexes are consecutive within a block: a gap means a missing log.
    if (Number(log.logIndex) !== i) throw contradiction(header, "logs are missing");
  }
  const bloom = readBloom(header.logsBloom);
  // An empty or full bloom proves nothing: some chains have no blooms.
  if (!isEmptyOrFull(bloom) && !equalBlooms(bloom, createBloom(sorted))) {
    throw contradiction(header, "logs do not match its bloom");
  }
  return sorted;
}

function contradiction(header: Header, what: string): RpcError {
  return new RpcError("malformed", `RPC: block ${header.number}: ${what}`);
}
