import type { PublicClient } from "viem";
import type { ReferenceBlock } from "../simulation/reference.ts";

/** Fetches the whole canonical chain from a node, for the reference implementation. */
export async function fetchCanonicalBlocks(
  client: Pick<PublicClient, "request">,
  head: number,
): Promise<ReferenceBlock[]> {
  const blocks: ReferenceBlock[] = [];
  const request = client.request as (args: { method: string; params: unknown[] }) => Promise<any>;
  for (let number = 0; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    const [block, receipts] = await Promise.all([
      request({ method: "eth_getBlockByNumber", params: [tag, true] }),
      request({ method: "eth_getBlockReceipts", params: [tag] }),
    ]);
    const created = new Map<string, string | null>(receipts.map((r: any) => [r.transactionHash, r.contractAddress]));
    blocks.push({
      number,
      time: Number(block.timestamp),
      txs: block.transactions.map((tx: any) => ({
        hash: tx.hash,
        from: tx.from.toLowerCase(),
        to: tx.to,
        input: tx.input,
        created: created.get(tx.hash)?.toLowerCase() ?? null,
      })),
      logs: receipts.flatMap((receipt: any) =>
        receipt.logs.map((log: any) => ({
          address: log.address.toLowerCase(),
          topics: log.topics,
          data: log.data,
          logIndex: Number(log.logIndex),
          txHash: log.transactionHash,
        })),
      ),
    });
  }
  return blocks;
}
