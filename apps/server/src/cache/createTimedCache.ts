import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";

/**
 * Creates a cache whose entries expire, by the time of the given clock.
 *
 * @param options.maxEntries - With more entries, the least recently used one is removed.
 */
export const createTimedCache = <Value extends object | true>(options: {
  clock: Pick<Clock, "now">;
  maxEntries: number;
  ttlMs: number;
}): LRUCache<string, Value> =>
  new LRUCache<string, Value>({
    // A maximum of entries, like `max`, which would reserve the memory of all entries in advance.
    maxSize: options.maxEntries,
    sizeCalculation: () => 1,
    ttl: options.ttlMs,
    ttlResolution: 0,
    perf: { now: () => options.clock.now() },
  });
