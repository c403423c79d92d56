import type { RawLog } from "@slipway/protocol/rawLog";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import type { KnownHeader } from "./checkBlooms.ts";
import { getBlockNumber } from "./getBlockNumber.ts";
import { readHeader, toQuantity } from "./headers.ts";

/** From this number of logs in a block, the whole block has fewer bytes than the single transactions. */
const wholeBlockFrom = 3;

/** Senders of transactions, the headers of the blocks that were read for them, and the number of calls. */
type Senders = { senders: Map<string, string>; headers: Map<number, KnownHeader>; calls: number };

type RawTransaction = { hash?: string; from?: string };

/**
 * Fetches the senders of the transactions of trades, mints and burns. Per block, reads the whole block or the single transactions,
 * whichever costs less.
 *
 * @param sent - Logs in chain order.
 * @throws RpcError transient when a block or transaction is missing.
 */
export async function fetchSenders(rpc: RpcPool, sent: readonly RawLog[], signal?: AbortSignal): Promise<Senders> {
  const wholeBlocks: [number, RawLog[]][] = [];
  const single = new Set<string>();
  for (const [number, logs] of Map.groupBy(sent, (log) => getBlockNumber(log))) {
    if (logs.length >= wholeBlockFrom) wholeBlocks.push([number, logs]);
    else for (const log of logs) single.add(log.transactionHash);
  }
  let endpoint = 0;
  const calls = [
    ...wholeBlocks.map(([number]) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), true] })),
    ...[...single].map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
  ];
  const onAnswer = (answeredBy: number) => {
    endpoint = answeredBy;
  };
  const answers = await rpc.batch(calls, { signal, onAnswer });
  const senders = new Map<string, string>();
  const headers = new Map<number, KnownHeader>();
  for (const [i, [number, logs]] of wholeBlocks.entries()) {
    const header = readHeader(answers[i]!);
    if (header?.number !== number) throw missing(`block ${number}`);
    headers.set(number, { header, endpoint });
    const { transactions } = answers[i] as unknown as { transactions: RawTransaction[] };
    for (const log of logs) {
      const from = findTransaction(log, transactions)?.from;
      if (!from) throw missing(`a transaction of block ${number}`);
      senders.set(log.transactionHash, from.toLowerCase());
    }
  }
  for (const [i, hash] of [...single].entries()) {
    const tx = answers[wholeBlocks.length + i] as unknown as RawTransaction | null;
    if (!tx?.from) throw missing("a transaction");
    senders.set(hash, tx.from.toLowerCase());
  }
  return { senders, headers, calls: calls.length };
}

/** Finds a log's transaction at the log's transaction index; searches by hash if the node's index is wrong. */
function findTransaction(log: RawLog, transactions: readonly RawTransaction[]): RawTransaction | undefined {
  const expected = transactions[Number(log.transactionIndex)];
  if (expected?.hash === log.transactionHash) return expected;
  return transactions.find((tx) => tx.hash === log.transactionHash);
}

function missing(what: string): RpcError {
  return new RpcError("transient", `RPC: ${what} is missing`);
}
