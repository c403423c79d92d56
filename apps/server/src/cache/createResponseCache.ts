import { LRUCache } from "lru-cache";
import type { ReadyAnswer } from "./cachedResponse.ts";
import { everything, type Tag } from "./cacheTag.ts";

type Entry = { answer: ReadyAnswer; builtAt: number; tags: readonly Tag[] };
type Build = { answer: Promise<ReadyAnswer>; begunAt: number; tags: readonly Tag[] };

/** Tags remembered one by one; beyond it everything counts as changed once. */
const rememberedTags = 100_000;

/** What an entry costs beside its bytes: key, object, list links. */
const entryOverheadBytes = 512;

/**
 * Ready answers in a bounded space, each with what it depends on. Time here is a count of changes: an answer is fresh
 * while nothing it depends on has changed since its build began, so an answer whose query ran before a change is never
 * kept as if it had run after.
 *
 * @param maxBytes - Bytes of all answers together; 0 keeps none.
 */
export function createAnswerCache(maxBytes: number) {
  const entries =
    maxBytes === 0
      ? null
      : new LRUCache<string, Entry>({
          maxSize: maxBytes,
          sizeCalculation: (entry, key) => entry.answer.bytes.length + key.length * 2 + entryOverheadBytes,
        });
  const builds = new Map<string, Build>();
  const changedAt = new Map<Tag, number>();
  let now = 0;
  let allChangedAt = 0;

  const isFresh = (since: number, tags: readonly Tag[]) =>
    since >= allChangedAt && tags.every((tag) => since >= (changedAt.get(tag) ?? 0));

  return {
    /** The fresh answer of a key, if there is one. */
    peek(key: string): ReadyAnswer | undefined {
      const entry = entries?.get(key);
      return entry !== undefined && isFresh(entry.builtAt, entry.tags) ? entry.answer : undefined;
    },

    /** The answer of a key: kept, being built by somebody else, or built now. A build that fails is not kept. */
    async answer(key: string, tags: readonly Tag[], build: () => Promise<ReadyAnswer>): Promise<ReadyAnswer> {
      const kept = this.peek(key);
      if (kept !== undefined) return kept;
      const running = builds.get(key);
      if (running !== undefined && isFresh(running.begunAt, running.tags)) return await running.answer;

      const begunAt = now;
      const started: Build = { answer: build(), begunAt, tags };
      builds.set(key, started);
      try {
        const answer = await started.answer;
        if (isFresh(begunAt, tags)) entries?.set(key, { answer, builtAt: begunAt, tags });
        return answer;
      } finally {
        if (builds.get(key) === started) builds.delete(key);
      }
    },

    /** Notes what has changed: answers that depend on it are built anew when they are next asked for. */
    changed(tags: Iterable<Tag> | typeof everything): void {
      now++;
      if (tags === everything) {
        allChangedAt = now;
        changedAt.clear();
        return;
      }
      for (const tag of tags) changedAt.set(tag, now);
      if (changedAt.size > rememberedTags) {
        allChangedAt = now;
        changedAt.clear();
      }
    },

    /** Bytes and number of the answers kept. */
    size: () => ({ bytes: entries?.calculatedSize ?? 0, answers: entries?.size ?? 0 }),
  };
}
