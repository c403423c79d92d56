import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";

/** What requests read last, as what the next one with the same key will probably read. Never an answer by itself. */
export type SeenReads = {
  /** What was read last for a key; null where the key is unknown or its reads have just changed. */
  find(key: string): unknown;
  /**
   * Records what was just read for a key.
   *
   * @param weight - Its size in units of about two kilobytes, at least one.
   */
  note(key: string, value: unknown, weight?: number): void;
};

/** About four megabytes. */
const maxWeight = 2_000;
const maxAgeMs = 60_000;

/**
 * Creates the memory of what requests read. A key whose reads differed from those before is expected to change again: it
 * is used again after two equal reads, so that a pool in constant trade does not cost requests that are thrown away.
 */
export function createSeenReads(clock: Pick<Clock, "now">): SeenReads {
  const reads = new LRUCache<string, { value: unknown; isSteady: boolean; weight: number }>({
    maxSize: maxWeight,
    sizeCalculation: ({ weight }) => weight,
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
  return {
    find: (key) => {
      const seen = reads.get(key);
      return seen?.isSteady ? seen.value : null;
    },
    note: (key, value, weight = 1) => {
      const before = reads.get(key);
      const isSteady = before === undefined || isDeepStrictEqual(before.value, value);
      reads.set(key, { value, isSteady, weight });
    },
  };
}
