import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { toQuantity } from "./headers.ts";

/** From so many trades of a block on, the whole block costs fewer bytes than they do one by one. */
const wholeBlockFrom = 3;

/** Senders of transactions, and times and hashes of the blocks that were read on the way. */
export type Senders = { senders: Map<string, string>; blocks: Map<number, { hash: string; time: number }> };

type RawTransaction = { hash?: string; from?: string; blockHash?: string | null };
type RawFullBlock = { hash?: string; timestamp?: string; transactions?: RawTransaction[] } | null;

/**
 * Who sent the transactions of trades, by whichever costs less a block: the block with its transactions, or each
 * transaction.
 *
 * @param trades - Logs in chain order.
 * @throws RpcError transient when one is not there.
 */
export async function fetchSenders(rpc: RpcPool, trades: readonly RawLog[], signal?: AbortSignal): Promise<Senders> {
  const wholeBlocks: [number, RawLog[]][] = [];
  const single = new Set<string>();
  for (const [number, logs] of Map.groupBy(trades, (log) => Number(log.blockNumber))) {
    if (logs.length >= wholeBlockFrom) wholeBlocks.push([number, logs]);
    else for (const log of logs) single.add(log.transactionHash);
  }
  const answers = await rpc.batch(
    [
      ...wholeBlocks.map(([number]) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), true] })),
      ...[...single].map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
    ],
    { signal },
  );
  const senders = new Map<string, string>();
  const blocks = new Map<number, { hash: string; time: number }>();
  for (const [i, [number, logs]] of wholeBlocks.entries()) {
    const block = answers[i] as unknown as RawFullBlock;
    if (!block || !Array.isArray(block.transactions) || !block.hash) throw missing(`block ${number}`);
    blocks.set(number, { hash: block.hash, time: Number(block.timestamp) });
    for (const log of logs) {
      const from = transactionOf(log, block.transactions)?.from;
      if (!from) throw missing(`a transaction of block ${number}`);
      senders.set(log.transactionHash, from.toLowerCase());
    }
  }
  for (const [i, hash] of [...single].entries()) {
    const tx = answers[wholeBlocks.length + i] as unknown as RawTransaction | null;
    if (!tx?.from) throw missing("a transaction");
    senders.set(hash, tx.from.toLowerCase());
  }
  return { senders, blocks };
}

/** By its index, which spares a search; a node whose indexes are wrong is forgiven. */
function transactionOf(log: RawLog, transactions: readonly RawTransaction[]): RawTransaction | undefined {
  const expected = transactions[Number(log.transactionIndex)];
  if (expected?.hash === log.transactionHash) return expected;
  return transactions.find((tx) => tx.hash === log.transactionHash);
}

function missing(what: string): RpcError {
  return new RpcError("transient", `RPC: ${what} is not there`);
}
