import type { Clock } from "../clock.ts";
import { type CachedResponse, serializeJson } from "./cachedResponse.ts";
import { everything } from "./cacheTag.ts";
import { createResponseCache } from "./createResponseCache.ts";

const maxCacheBytes = 16 * 1024 * 1024;

/** Maximum age of a response with an unchanged version, in milliseconds. Limits the delay of unversioned changes. */
const maxAgeMs = 1_000;

export type VersionedCache = {
  /** Returns the cached response of a key, or builds it. An error of `build` fails only the requests of that build. */
  getResponse(key: string, build: () => Promise<unknown>): Promise<CachedResponse>;
};

/**
 * Creates a cache of responses that are valid until the version of their data changes, and for at most one second. Each
 * request sees all commits before it, because it waits for a version read after it began. Concurrent requests share
 * that read. For responses whose changes are not in the outbox; `createReadModel.ts` is for all other responses.
 *
 * @param options.maxBytes - The maximum size of all responses together, up to 16 MiB; 0 keeps none.
 * @param options.readVersion - One cheap query of the newest data (`Database.readNewest`).
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
    const newest = await readVersion();
    const age = startedAt - emptiedAt;
    if (newest === version && age >= 0 && age <= maxAgeMs) return;
    version = newest;
    emptiedAt = startedAt;
    cache.invalidate(everything);
  };

  return {
    getResponse: async (key, build) => {
      // A failed check fails only its own requests.
      next ??= running = running.catch(() => undefined).then(check);
      await next;
      return await cache.getOrBuild(key, [], async () => serializeJson(await build()));
    },
  };
}
