/** The number of blocks to request together. */
export type RangeSize = {
  next(): number;
  /** A range of `blocks` returned `logs` logs. */
  accepted(blocks: number, logs: number): void;
  /** The node rejected a range of `blocks`. @returns False for a single block, which cannot be halved. */
  refused(blocks: number): boolean;
};

/** Target number of logs per range: enough to justify a request, few enough for memory. */
const targetLogs = 2_500;
const maxBlocks = 100_000;
/** Number of accepted ranges after which the limit from the last rejection is raised. */
const retryRefusedAfter = 64;

/**
 * Creates a range size that halves after a rejection and grows with accepted ranges, up to the node's limit and the
 * target number of logs. Starts small, so that a busy chain returns the first answers soon; on a quiet chain the size
 * doubles with each answer.
 */
export function createRangeSize(start = 64): RangeSize {
  let size = start;
  let ceiling = maxBlocks;
  let sinceRefusal = 0;
  return {
    next: () => size,
    accepted: (blocks, logs) => {
      if (++sinceRefusal > retryRefusedAfter) {
        ceiling = Math.min(maxBlocks, ceiling * 2);
        sinceRefusal = 0;
      }
      // A short last range proves nothing about longer ones.
      if (blocks < size) return;
      const wanted = logs === 0 ? size * 4 : Math.floor((blocks * targetLogs) / logs);
      size = Math.max(1, Math.min(ceiling, size * 2, wanted));
    },
    refused: (blocks) => {
      if (blocks <= 1) return false;
      sinceRefusal = 0;
      const half = Math.max(1, Math.floor(blocks / 2));
      // Ranges in flight are rejected together: halves once for all of them.
      size = Math.min(size, half);
      ceiling = Math.min(ceiling, blocks - 1);
      return true;
    },
  };
}
