import { entryPoints } from "@slipway/protocol/chains";
import { type RawLog, topicAddress, transferTopic } from "@slipway/protocol/rawLog";
import { decodeOperationMark, type OperationMark, userOperationTopic } from "@slipway/protocol/userOperationLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { Raw, RpcPool } from "../../chain/rpcPool.ts";
import { swapTransactions } from "../swapTransactions.ts";
import { fetchLogs } from "./fetchLogs.ts";
import { readLogs, sortLogs } from "./readLogs.ts";

/** Maximum accounts in one filter: nodes limit the topics of a position, geth to 1,000. */
const maxAccounts = 500;

/** Reads the marks of EntryPoints among complete logs of transactions in chain order, by hash. */
export function readOperations(logs: readonly RawLog[]): Map<string, OperationMark[]> {
  const operations = new Map<string, OperationMark[]>();
  for (const log of logs) {
    const mark = entryPoints.has(log.address) ? decodeOperationMark(log) : null;
    if (mark === null) continue;
    const marks = operations.get(log.transactionHash);
    if (marks === undefined) operations.set(log.transactionHash, [mark]);
    else marks.push(mark);
  }
  return operations;
}

/** Accounts whose user operation could determine the account of a trade, and the transactions of these trades. */
export type Candidates = { accounts: ReadonlySet<string>; transactions: ReadonlySet<string> };

/**
 * Finds the accounts whose user operation could determine the account of a trade: those that gave or received tokens in
 * the trade's transaction. Without the transaction's sender, whose operations count as its own trades, and the pools.
 *
 * @param logs - Logs of watched contracts.
 * @param pools - Has the pools' addresses.
 * @param senders - Senders of the transactions with trades, by hash.
 */
export function findCandidates(
  logs: readonly RawLog[],
  pools: { has(address: string): boolean },
  senders: ReadonlyMap<string, string>,
): Candidates {
  const accounts = new Set<string>();
  const transactions = new Set<string>();
  for (const { start, end, swap } of swapTransactions(logs)) {
    const sender = senders.get(swap.transactionHash);
    if (sender === undefined) continue;
    const [ownDigits, poolDigits] = [sender.slice(2), swap.address.slice(2)];
    for (let i = start; i < end; i++) {
      const { topics } = logs[i]!;
      if (topics[0] !== transferTopic || topics.length !== 3) continue;
      for (const topic of [topics[1]!, topics[2]!]) {
        // Most transfers are between the sender and the pool. This comparison makes no string.
        if (topic.endsWith(ownDigits) || topic.endsWith(poolDigits)) continue;
        const account = topicAddress(topic);
        if (account === sender || pools.has(account)) continue;
        accounts.add(account);
        transactions.add(swap.transactionHash);
      }
    }
  }
  return { accounts, transactions };
}

/**
 * Fetches the marks of EntryPoints in the transactions with an operation of a candidate. Most ranges have no such
 * transaction and cost one request of logs for every 500 candidates, because a node returns only the candidates'
 * operations. The transaction's receipt has the marks of all its operations. While only one of several endpoints
 * answers, the receipts of all candidates' transactions are read, because its log index may have a hole.
 *
 * @param range.trades - Swap logs of the range.
 * @throws RpcError
 */
export async function fetchOperations(
  rpc: RpcPool,
  range: { from: number; to: number; trades: readonly RawLog[]; candidates: Candidates },
  signal?: AbortSignal,
): Promise<{ operations: Map<string, OperationMark[]>; calls: number }> {
  const { from, to, trades, candidates } = range;
  const accounts = [...candidates.accounts];
  const blockHashes = new Map(trades.map((trade) => [trade.transactionHash, trade.blockHash]));
  let asked = new Set<string>();
  let calls = 0;
  for (let first = 0; first < accounts.length; first += maxAccounts) {
    const topics = accounts
      .slice(first, first + maxAccounts)
      .map((account) => `0x${account.slice(2).padStart(64, "0")}`);
    const filter = { address: [...entryPoints], topics: [[userOperationTopic], null, topics] };
    const answer = await fetchLogs(rpc, from, to, filter, signal);
    calls += answer.calls;
    if (answer.answeredBy.length === 1 && rpc.endpoints > 1) {
      asked = new Set(candidates.transactions);
      break;
    }
    for (const log of answer.logs) if (candidates.transactions.has(log.transactionHash)) asked.add(log.transactionHash);
  }
  const hashes = [...asked];
  const receipts = await rpc.batch(
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    { signal },
  );
  const logs = hashes.flatMap((hash, i) => readReceiptLogs(receipts[i]!, hash, blockHashes.get(hash)!));
  return { operations: readOperations(logs), calls: calls + hashes.length };
}

/** Reads the logs of a transaction's receipt. @throws RpcError when the receipt is missing, or of another block. */
function readReceiptLogs(raw: Raw<unknown>, hash: string, blockHash: string): RawLog[] {
  const receipt = raw as unknown as { blockHash?: unknown; logs?: unknown } | null;
  if (receipt?.blockHash !== blockHash) throw new RpcError("transient", `RPC: the receipt of ${hash} is missing`);
  return sortLogs(readLogs(receipt.logs as Raw<unknown>));
}
