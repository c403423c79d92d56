/** How many blocks to request together. */
export type RangeSize = {
  next(): number;
  /** A range of `blocks` returned `logs` logs. */
  accepted(blocks: number, logs: number): void;
  /** The node refused a range of `blocks`. @returns False when it was a single block. */
  refused(blocks: number): boolean;
};

/** Logs that one range should return: enough to be worth a request, few enough for the memory. */
const targetLogs = 2_500;
const maxBlocks = 100_000;
/** Accepted ranges below a refused size before it is tried again. */
const retryRefusedAfter = 64;

/**
 * Halves on refusal, grows back towards what the node accepts and what one batch should hold. Begins small: on a busy
 * chain the first answers come sooner, and on a quiet one it doubles with each.
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
      // Ranges in flight are refused together: halve once for all of them.
      size = Math.min(size, half);
      ceiling = Math.min(ceiling, blocks - 1);
      return true;
    },
  };
}
