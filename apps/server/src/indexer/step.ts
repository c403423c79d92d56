import { RpcError } from "../chain/rpcError.ts";
import { applyRange } from "./applyRange.ts";
import { backfill } from "./backfill.ts";
import { fetchHead, fetchHeader, type Header } from "./fetch/headers.ts";
import { fetchRecentRange } from "./fetch/fetchRecentRange.ts";
import type { RangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { rewind } from "./rewind.ts";
import { minWindowBlocks } from "./store/commitBatch.ts";
import { readStoredHeaders } from "./store/checkpoint.ts";

/** Blocks of one batch within the reorg window: what piled up since the last step, but not without end. */
const maxBatchBlocks = 100;
/** From so many blocks behind on, the part that is final is fetched by ranges. */
const backfillFrom = 200;

export type Step = {
  head: Header;
  /** There may be more to do at once. */
  hasMore: boolean;
};

export type StepOptions = { size: RangeSize; onHead(head: Header, isBackfilling: boolean): Promise<void> };

/**
 * One step of following the chain: looks at the head and does what it asks for: nothing, the next blocks, a backfill, or
 * undoing blocks that are not part of the chain any more.
 *
 * @throws HaltError, LeadershipLostError, RpcError
 */
export async function step(context: IndexerContext, options: StepOptions): Promise<Step> {
  const { rpc, signal } = context;
  const head = await fetchHead(rpc, context.clock, signal);
  const indexed = context.checkpoint.blockNumber;
  const behind = head.number - indexed;
  await options.onHead(head, behind > backfillFrom);

  if (behind <= 0) {
    const isReplaced = await differsAt(context, head);
    if (isReplaced) await rewind(context);
    return { head, hasMore: isReplaced };
  }
  if (behind > backfillFrom) {
    const final = await newestFinalBlock(context, head);
    if (final > indexed) {
      if (await checkpointIsGone(context)) await rewind(context);
      else
        await backfill(context, final, head.time, { size: options.size, onProgress: () => options.onHead(head, true) });
      return { head, hasMore: true };
    }
  }
  const hasMore = behind > maxBatchBlocks;
  const to = hasMore ? indexed + maxBatchBlocks : head;
  const range = await fetchRecentRange(rpc, context.state, indexed + 1, to, signal);
  if (range.headers![0]!.parentHash !== context.checkpoint.blockHash) {
    await rewind(context);
    return { head, hasMore: true };
  }
  await applyRange(context, range, head.time);
  return { head, hasMore };
}

/**
 * Whether the chain has another block than the index at a head that is not above it. A node that merely lags, or stands
 * where the index has kept no header, says nothing.
 */
async function differsAt(context: IndexerContext, head: Header): Promise<boolean> {
  if (head.number === context.checkpoint.blockNumber) return head.hash !== context.checkpoint.blockHash;
  const [stored] = await readStoredHeaders(context.pool, head.number, 1);
  return stored?.blockNumber === head.number && stored.blockHash !== head.hash;
}

async function checkpointIsGone(context: IndexerContext): Promise<boolean> {
  const header = await fetchHeader(context.rpc, context.checkpoint.blockNumber, context.signal);
  return header !== null && header.hash !== context.checkpoint.blockHash;
}

/** The newest block below the reorg window, by bisection over block times. */
async function newestFinalBlock(context: IndexerContext, head: Header): Promise<number> {
  const limit = head.time - context.reorgWindowSeconds;
  let low = context.checkpoint.blockNumber;
  let high = head.number - minWindowBlocks + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const header = await fetchHeader(context.rpc, middle, context.signal);
    if (!header) throw new RpcError("transient", `RPC: block ${middle} is not there`);
    if (header.time < limit) low = middle;
    else high = middle;
  }
  return low;
}
