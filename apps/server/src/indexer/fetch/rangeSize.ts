/** How many blocks to ask for at once. */
export type RangeSize = {
  next(): number;
  /** A range of `blocks` gave `logs` logs. */
  accepted(blocks: number, logs: number): void;
  /** The node refused a range of `blocks`. @returns False when it was a single block. */
  refused(blocks: number): boolean;
};

/** Logs that one range should bring: enough that a request is worth its cost, few enough for the memory. */
const wantedLogs = 2_500;
const largest = 100_000;
/** Tries below a refused size before it is tried again. */
const patience = 64;

/**
 * Halves on refusal, grows back towards what the node takes and what one batch should hold. Begins small: on a busy chain
 * the first answers come sooner, and on a quiet one it doubles with each.
 */
export function createRangeSize(start = 64): RangeSize {
  let size = start;
  let ceiling = largest;
  let sinceRefusal = 0;
  return {
    next: () => size,
    accepted: (blocks, logs) => {
      if (++sinceRefusal > patience) {
        ceiling = Math.min(largest, ceiling * 2);
        sinceRefusal = 0;
      }
      // A short last range says nothing about longer ones.
      if (blocks < size) return;
      const wanted = logs === 0 ? size * 4 : Math.floor((blocks * wantedLogs) / logs);
      size = Math.max(1, Math.min(ceiling, size * 2, wanted));
    },
    refused: (blocks) => {
      if (blocks <= 1) return false;
      sinceRefusal = 0;
      const half = Math.max(1, Math.floor(blocks / 2));
      // Ranges in flight are refused together: halve once for them all.
      size = Math.min(size, half);
      ceiling = Math.min(ceiling, blocks - 1);
      return true;
    },
  };
}
