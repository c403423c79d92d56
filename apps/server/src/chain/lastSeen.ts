import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import type { Hex } from "viem";
import type { Clock } from "../clock.ts";

/** The block of a request: all its reads and simulations use this block. */
export type HeadBlock = {
  number: bigint;
  /** Block time in Unix seconds. */
  timestamp: bigint;
  hash: Hex;
};

/** The newest block that this process has seen. */
export type SeenHeads = {
  /** Records the newest block that an endpoint has just returned. */
  note(block: HeadBlock): void;
  /** Returns the block that is probably still the newest; null when the next block is due. */
  findLikely(): HeadBlock | null;
};

/** Block interval until two blocks were seen. It suits a slow chain; the first blocks of a fast chain correct it. */
const firstIntervalMs = 1_000;
/** Weight of the newest interval in the moving average. */
const newestWeight = 0.25;

/** Creates the record of seen heads. It learns the block interval from all heads that this process reads. */
export function createSeenHeads(clock: Pick<Clock, "now">): SeenHeads {
  let newest: { block: HeadBlock; firstSeenMs: number; lastSeenMs: number } | null = null;
  let intervalMs = firstIntervalMs;
  return {
    note: ({ number, timestamp, hash }) => {
      const nowMs = clock.now();
      if (newest?.block.hash === hash) {
        newest.lastSeenMs = nowMs;
        return;
      }
      if (newest !== null && number > newest.block.number) {
        const elapsedMs = Math.max(0, nowMs - newest.firstSeenMs) / Number(number - newest.block.number);
        intervalMs += (elapsedMs - intervalMs) * newestWeight;
      }
      newest = { block: { number, timestamp, hash }, firstSeenMs: nowMs, lastSeenMs: nowMs };
    },
    findLikely: () => {
      if (newest === null) return null;
      const ageMs = clock.now() - newest.lastSeenMs;
      return ageMs >= 0 && ageMs < intervalMs / 2 ? newest.block : null;
    },
  };
}

/** The latest reads by key. They predict the next read of the same key, and are never an answer by themselves. */
export type SeenReads = {
  /** Returns the latest read of a key; null if the key is unknown or its value has just changed. */
  find(key: string): unknown;
  /**
   * Records the latest read of a key.
   *
   * @param weight - Size of the value in units of about two kilobytes, at least one.
   */
  note(key: string, value: unknown, weight?: number): void;
};

/** About four megabytes. */
const maxWeight = 2_000;
const maxAgeMs = 60_000;

/**
 * Creates the record of latest reads. A key whose value has just changed will probably change again, so it is used
 * again only after two equal reads. This avoids useless simulations for a pool with constant trades.
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
