import { LRUCache } from "lru-cache";
import type { CachedResponse } from "./cachedResponse.ts";
import { type CacheTag, everything } from "./cacheTag.ts";

type Entry = { response: CachedResponse; builtAt: number; tags: readonly CacheTag[] };
type Build = { response: Promise<CachedResponse>; startedAt: number; tags: readonly CacheTag[] };

/** Maximum number of individually tracked changed tags. With more, all tags count as changed. */
const maxTrackedTags = 100_000;

/** Overhead of an entry in addition to its bytes: key, objects, list links; measured on small responses. */
const entryOverheadBytes = 1_024;

/**
 * Creates a cache of responses with a maximum size. Each response has the tags that it depends on. Time in this file is
 * a count of changes. A response is fresh while none of its tags has changed since its build began, so that the cache
 * never keeps a response whose query ran before a change.
 *
 * @param maxBytes - Maximum bytes of all responses together; 0 keeps no response.
 */
export function createResponseCache(maxBytes: number) {
  const entries =
    maxBytes === 0
      ? null
      : new LRUCache<string, Entry>({
          maxSize: maxBytes,
          sizeCalculation: (entry, key) => entry.response.bytes.length + key.length * 2 + entryOverheadBytes,
        });
  const builds = new Map<string, Build>();
  const changedAt = new Map<CacheTag, number>();
  let now = 0;
  let allChangedAt = 0;

  const isFresh = (since: number, tags: readonly CacheTag[]) =>
    since >= allChangedAt && tags.every((tag) => since >= (changedAt.get(tag) ?? 0));

  return {
    /** Returns the response of a key if it is fresh. */
    peek(key: string): CachedResponse | undefined {
      const entry = entries?.get(key);
      return entry !== undefined && isFresh(entry.builtAt, entry.tags) ? entry.response : undefined;
    },

    /** Returns the response of a key: cached, from a running build, or built now. Does not keep a failed build. */
    async getOrBuild(
      key: string,
      tags: readonly CacheTag[],
      build: () => Promise<CachedResponse>,
    ): Promise<CachedResponse> {
      const cached = this.peek(key);
      if (cached !== undefined) return cached;
      const running = builds.get(key);
      if (running !== undefined && isFresh(running.startedAt, running.tags)) return await running.response;

      const startedAt = now;
      const started: Build = { response: build(), startedAt, tags };
      builds.set(key, started);
      try {
        const response = await started.response;
        if (isFresh(startedAt, tags)) entries?.set(key, { response, builtAt: startedAt, tags });
        return response;
      } finally {
        if (builds.get(key) === started) builds.delete(key);
      }
    },

    /** Records changed tags. Responses that depend on them are built again at their next request. */
    invalidate(tags: Iterable<CacheTag> | typeof everything): void {
      now++;
      if (tags !== everything) for (const tag of tags) changedAt.set(tag, now);
      if (tags === everything || changedAt.size > maxTrackedTags) {
        allChangedAt = now;
        changedAt.clear();
      }
    },

    /** Returns the bytes and the number of the cached responses. */
    size: () => ({ bytes: entries?.calculatedSize ?? 0, responses: entries?.size ?? 0 }),
  };
}
