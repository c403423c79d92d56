import { noteIndexedBlock, reloadContext } from "./applyRange.ts";
import { readHeader, toQuantity } from "./fetch/headers.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { HaltError } from "./statusPublisher.ts";
import { readStoredHeaders, type StoredHeader } from "./store/checkpoint.ts";
import { undoTo } from "./store/undoTo.ts";

/** Number of headers compared in one request. */
const batchSize = 50;

/**
 * Follows a reorganisation: finds the newest batch whose last block is still part of the chain, and undoes all later
 * batches.
 *
 * @throws HaltError when no header of the reorg window is part of the chain any more. Then undoes no batch.
 * @throws RpcError
 */
export async function rewind(context: IndexerContext): Promise<void> {
  const { checkpoint, log, metrics } = context;
  const target = await findCommonAncestor(context);
  if (target === null) {
    throw new HaltError(
      `the chain differs from the index further back than the reorg window of ${context.reorgWindowSeconds} s ` +
        `(index at block ${checkpoint.blockNumber}). If the chain was replaced, empty the index (local stack: npm run reset)`,
    );
  }
  const depth = checkpoint.blockNumber - target.blockNumber;
  // Level info: the indexer undoes the blocks without an operator. A reorganisation that is too deep throws above.
  log.info({ fromBlock: checkpoint.blockNumber, toBlock: target.blockNumber, depth }, "chain reorganisation detected");
  try {
    await undoTo(context.pool, context.events, context.fencingToken, target, !context.isCopy);
  } finally {
    await reloadContext(context);
  }
  if (!context.isCopy) metrics.reorgs.inc();
  noteIndexedBlock(context);
}

/**
 * Returns the highest batch end that is part of the chain, or null. A block that the node does not have counts as not
 * part of the chain.
 */
async function findCommonAncestor(context: IndexerContext): Promise<StoredHeader | null> {
  let below = context.checkpoint.blockNumber;
  for (;;) {
    const headers = await readStoredHeaders(context.pool, below, batchSize);
    if (headers.length === 0) return null;
    const answers = await context.rpc.batch(
      headers.map((header) => ({
        method: "eth_getBlockByNumber",
        params: [toQuantity(header.blockNumber), false],
      })),
      { signal: context.signal },
    );
    for (const [i, header] of headers.entries()) {
      const found = readHeader(answers[i]!);
      if (header.isBatchEnd && found?.number === header.blockNumber && found.hash === header.blockHash) return header;
    }
    below = headers.at(-1)!.blockNumber - 1;
  }
}
