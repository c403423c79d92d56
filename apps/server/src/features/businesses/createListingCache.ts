import { everything } from "../../cache/cacheTag.ts";
import { type CachedResponse, serializeJson } from "../../cache/cachedResponse.ts";
import { createResponseCache } from "../../cache/createResponseCache.ts";
import type { Clock } from "../../clock.ts";
import type { Queryable } from "../../db/database.ts";
import { readListingVersion } from "./directoryQueries.ts";

const maxCacheBytes = 16 * 1024 * 1024;

/**
 * How long a cached list is used without a change of a listing, in milliseconds: proofs of handles and websites, blocked
 * pictures of listings, and a source that becomes stale are seen then.
 */
const listMaxAgeMs = 1_000;

export type ListingCache = {
  /** The list of a key, cached or built now. */
  getResponse(key: string, build: () => Promise<unknown>): Promise<CachedResponse>;
};

/**
 * Creates the cache of lists of listings: by query, until a listing, the reading of a source, or a token's block or picture changes.
 * Every request sees what was committed before it: it waits for a check that began after it, which concurrent requests
 * share.
 *
 * @param maxBytes - Of all lists together, at most 16 MiB; 0 keeps none.
 */
export function createListingCache(db: Queryable, clock: Pick<Clock, "now">, maxBytes: number): ListingCache {
  const cache = createResponseCache(Math.min(maxBytes, maxCacheBytes));
  let version = "";
  let emptiedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const check = async () => {
    next = null;
    const startedAt = clock.now();
    const found = await readListingVersion(db);
    const age = startedAt - emptiedAt;
    if (found === version && age >= 0 && age <= listMaxAgeMs) return;
    version = found;
    emptiedAt = startedAt;
    cache.invalidate(everything);
  };

  return {
    getResponse: async (key, build) => {
      // A failed check is its own requests' alone.
      next ??= running = running.catch(() => undefined).then(check);
      await next;
      return await cache.getOrBuild(key, [], async () => serializeJson(await build()));
    },
  };
}
