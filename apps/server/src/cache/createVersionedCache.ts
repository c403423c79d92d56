import type { Clock } from "../clock.ts";
import { type CachedResponse, serializeJson } from "./cachedResponse.ts";
import { everything } from "./cacheTag.ts";
import { createResponseCache } from "./createResponseCache.ts";

const maxCacheBytes = 16 * 1024 * 1024;

/** How long a response is used without a change of the version, in milliseconds: what is in no version is seen then. */
const maxAgeMs = 1_000;

export type VersionedCache = {
  /** The response of a key, cached or built now. Whatever `build` throws is its own requests' alone. */
  getResponse(key: string, build: () => Promise<unknown>): Promise<CachedResponse>;
};

/**
 * Creates a cache of responses that are used until the version of what they are built from changes, and for one second at the
 * most. Every request sees what was committed before it: it waits for a version that was read after it began, which
 * concurrent requests share. For responses whose changes are in no outbox; `createReadModel.ts` is for the others.
 *
 * @param options.maxBytes - The maximum size of all responses together, up to 16 MiB; 0 keeps none.
 * @param options.readVersion - One cheap query.
 */
export function createVersionedCache(options: {
  clock: Pick<Clock, "now">;
  maxBytes: number;
  readVersion: () => Promise<string>;
}): VersionedCache {
  const { clock, readVersion } = options;
  const cache = createResponseCache(Math.min(options.maxBytes, maxCacheBytes));
  let version = "";
  let emptiedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const check = async () => {
    next = null;
    const startedAt = clock.now();
    const found = await readVersion();
    const age = startedAt - emptiedAt;
    if (found === version && age >= 0 && age <= maxAgeMs) return;
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
