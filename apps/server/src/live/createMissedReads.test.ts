import { expect, test, vi } from "vitest";
import { createMissedReads } from "./createMissedReads.ts";

/** Reads whose results the test decides, and pauses that it ends. */
function createReads() {
  const started: number[] = [];
  const results = new Map<number, PromiseWithResolvers<void>>();
  const pauses: (() => void)[] = [];
  const readMissed = createMissedReads({
    clock: { sleep: async () => await new Promise<void>((resolve) => pauses.push(resolve)) },
    read: async (cursor) => {
      started.push(cursor);
      const result = Promise.withResolvers<void>();
      results.set(cursor, result);
      await result.promise;
      return { messages: [], oldest: cursor };
    },
  });
  /** Waits until the reads of these cursors have started. */
  const untilStarted = async (...cursors: number[]) => await vi.waitFor(() => expect(started).toEqual(cursors));
  return { readMissed, started, results, pauses, untilStarted };
}

const always = () => true;

test("C6-08 reads one batch at a time for all readers, with a pause after each", async () => {
  const { readMissed, results, pauses, untilStarted } = createReads();
  const reads = [1, 2, 3].map((cursor) => readMissed(cursor, always));
  await untilStarted(1);
  results.get(1)!.resolve();
  expect(await reads[0]).toEqual({ messages: [], oldest: 1 });
  expect(pauses.length).toBe(1);
  await untilStarted(1);
  pauses[0]!();
  await untilStarted(1, 2);
  // A failure ends only its own turn.
  results.get(2)!.reject(new Error("unreachable"));
  await expect(reads[1]).rejects.toThrow("unreachable");
  pauses[1]!();
  await untilStarted(1, 2, 3);
});

test("C6-08 readers at one cursor share a batch, and nothing is read for readers that have left", async () => {
  const { readMissed, started, results, pauses, untilStarted } = createReads();
  const first = readMissed(1, always);
  const left = [2, 3, 4].map((cursor) => readMissed(cursor, () => false));
  const shared = [readMissed(5, () => false), readMissed(5, always)];
  await untilStarted(1);
  results.get(1)!.resolve();
  await first;
  pauses[0]!();
  await untilStarted(1, 5);
  results.get(5)!.resolve();
  expect(await Promise.all(shared)).toEqual(Array(2).fill({ messages: [], oldest: 5 }));
  expect(await Promise.all(left)).toEqual([null, null, null]);
  expect(started).toEqual([1, 5]);
});
