import { RpcError } from "../chain/rpcError.ts";
import { applyRange } from "./applyRange.ts";
import { backfill } from "./backfill.ts";
import { fetchRecentRange } from "./fetch/fetchRecentRange.ts";
import { fetchHead, fetchHeader, type Header } from "./fetch/headers.ts";
import type { RangeSize } from "./fetch/rangeSize.ts";
import type { IndexerContext } from "./indexerContext.ts";
import { rewind } from "./rewind.ts";
import { readStoredHeaders } from "./store/checkpoint.ts";
import { minWindowBlocks } from "./store/commitBatch.ts";

/** Maximum blocks of one batch within the reorg window. */
const maxBatchBlocks = 100;
/** A backfill starts if the index is more than this number of blocks behind the head. */
const backfillMinBlocks = 200;

export type Step = {
  head: Header;
  /** Whether the next step can start without a new head. */
  hasMore: boolean;
};

export type StepOptions = {
  size: RangeSize;
  onHead(head: Header, isBackfilling: boolean): Promise<void>;
  /** The block to index up to; default: the chain's head. */
  getHead?(): Promise<Header>;
  /** Minimum logs of a batch of a backfill. */
  batchLogs?: number;
};

/**
 * Runs one step of following the chain: reads the head, then indexes the next blocks, backfills, undoes blocks that are
 * not part of the chain any more, or returns without a change.
 *
 * @throws HaltError, LeadershipLostError, RpcError
 */
export async function step(context: IndexerContext, options: StepOptions): Promise<Step> {
  const head = await (options.getHead ?? (() => fetchHead(context)))();
  const indexed = context.checkpoint.blockNumber;
  const behind = head.number - indexed;
  await options.onHead(head, behind > backfillMinBlocks);

  if (behind <= 0) {
    const isReplaced = await isReplacedAt(context, head);
    if (isReplaced) await rewind(context);
    return { head, hasMore: isReplaced };
  }
  if (behind > backfillMinBlocks) {
    const final = await findNewestFinalBlock(context, head);
    if (final > indexed) {
      if (await isCheckpointReplaced(context)) await rewind(context);
      else {
        const { size, batchLogs } = options;
        await backfill(context, final, head.time, { size, batchLogs, onProgress: () => options.onHead(head, true) });
      }
      return { head, hasMore: true };
    }
  }
  const hasMore = behind > maxBatchBlocks;
  const to = hasMore ? indexed + maxBatchBlocks : head;
  const range = await fetchRecentRange(context, indexed + 1, to);
  if (range.headers![0]!.parentHash !== context.checkpoint.blockHash) {
    await rewind(context);
    return { head, hasMore: true };
  }
  await applyRange(context, range, head.time);
  return { head, hasMore };
}

/**
 * Whether the chain and the index have different blocks at the head's height, for a head that is not above the index.
 * False if the node only lags, or if no header is stored at the head's height.
 */
async function isReplacedAt(context: IndexerContext, head: Header): Promise<boolean> {
  if (head.number === context.checkpoint.blockNumber) return head.hash !== context.checkpoint.blockHash;
  const [stored] = await readStoredHeaders(context.pool, head.number, 1);
  return stored?.blockNumber === head.number && stored.blockHash !== head.hash;
}

async function isCheckpointReplaced(context: IndexerContext): Promise<boolean> {
  const header = await fetchHeader(context.rpc, context.checkpoint.blockNumber, context.signal);
  return header !== null && header.hash !== context.checkpoint.blockHash;
}

/** Finds the newest block below the reorg window by bisection over block times. */
async function findNewestFinalBlock(context: IndexerContext, head: Header): Promise<number> {
  const limit = head.time - context.reorgWindowSeconds;
  let low = context.checkpoint.blockNumber;
  let high = head.number - minWindowBlocks + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const header = await fetchHeader(context.rpc, middle, context.signal);
    if (!header) throw new RpcError("transient", `RPC: block ${middle} is missing`);
    if (header.time < limit) low = middle;
    else high = middle;
  }
  return low;
}
