import { readHeader, toQuantity } from "./fetch/headers.ts";
import { reloadContext } from "./applyRange.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { HaltError } from "./status.ts";
import { type StoredHeader, readStoredHeaders } from "./store/checkpoint.ts";
import { undoTo } from "./store/undoTo.ts";

/** Headers compared in one request. */
const stride = 50;

/**
 * The chain has another block where the index has one: finds the newest batch whose end is still part of the chain and
 * undoes what is above it.
 *
 * @throws HaltError when no header of the reorg window is part of the chain any more. Nothing is undone then.
 * @throws RpcError
 */
export async function rewind(context: IndexerContext): Promise<void> {
  const { checkpoint, log, metrics } = context;
  const target = await commonAncestor(context);
  if (target === null) {
    throw new HaltError(
      `the chain differs from the index further back than the reorg window of ${context.reorgWindowSeconds} s ` +
        `(index at block ${checkpoint.blockNumber}). If the chain was replaced, empty the index (local stack: npm run reset)`,
    );
  }
  const depth = checkpoint.blockNumber - target.blockNumber;
  log.warn({ from: checkpoint.blockNumber, to: target.blockNumber, depth }, "reorganisation: undoing blocks");
  try {
    await undoTo(context.pool, context.fencingToken, target);
  } finally {
    await reloadContext(context);
  }
  metrics.reorgs.inc();
  metrics.indexedBlock.set(context.checkpoint.blockNumber);
}

/** The highest batch end at which chain and index agree. Heights that the node does not have agree with nothing. */
async function commonAncestor(context: IndexerContext): Promise<StoredHeader | null> {
  let below = context.checkpoint.blockNumber;
  for (;;) {
    const headers = await readStoredHeaders(context.pool, below, stride);
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
