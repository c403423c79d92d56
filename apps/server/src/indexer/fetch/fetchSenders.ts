import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { toQuantity } from "./header.ts";

/** From so many wanted transactions of a block on, the whole block costs fewer bytes than they do one by one. */
const wholeBlockFrom = 3;

/** Senders of transactions, and times and hashes of the blocks that were read on the way. */
export type Senders = { senders: Map<string, string>; blocks: Map<number, { hash: string; time: number }> };

type RawTransaction = { hash?: string; from?: string; blockHash?: string | null };
type RawFullBlock = { hash?: string; timestamp?: string; transactions?: RawTransaction[] } | null;

/**
 * Who sent the transactions, by whichever costs less a block: the block with its transactions, or each transaction.
 *
 * @param wanted - Transaction hashes by block number.
 * @throws RpcError transient when one is not there.
 */
export async function fetchSenders(
  rpc: RpcPool,
  wanted: ReadonlyMap<number, ReadonlySet<string>>,
  signal?: AbortSignal,
): Promise<Senders> {
  const wholeBlocks = [...wanted].filter(([, hashes]) => hashes.size >= wholeBlockFrom).map(([number]) => number);
  const single = [...wanted].flatMap(([, hashes]) => (hashes.size < wholeBlockFrom ? [...hashes] : []));
  const answers = await rpc.batch(
    [
      ...wholeBlocks.map((number) => ({ method: "eth_getBlockByNumber", params: [toQuantity(number), true] })),
      ...single.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
    ],
    { signal },
  );
  const senders = new Map<string, string>();
  const blocks = new Map<number, { hash: string; time: number }>();
  for (const [i, number] of wholeBlocks.entries()) {
    const block = answers[i] as unknown as RawFullBlock;
    if (!block || !Array.isArray(block.transactions) || !block.hash) throw missing(`block ${number}`);
    blocks.set(number, { hash: block.hash, time: Number(block.timestamp) });
    for (const tx of block.transactions) if (tx.hash && tx.from) senders.set(tx.hash, tx.from.toLowerCase());
  }
  for (const [i, hash] of single.entries()) {
    const tx = answers[wholeBlocks.length + i] as unknown as RawTransaction | null;
    if (!tx?.from) throw missing("a transaction");
    senders.set(hash, tx.from.toLowerCase());
  }
  for (const [number, hashes] of wanted) {
    for (const hash of hashes) if (!senders.has(hash)) throw missing(`a transaction of block ${number}`);
  }
  return { senders, blocks };
}

function missing(what: string): RpcError {
  return new RpcError("transient", `RPC: ${what} is not there`);
}
