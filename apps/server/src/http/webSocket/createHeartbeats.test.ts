import { expect, test } from "vitest";
import { createConnectionBudget } from "../../live/guardSocket.ts";
import { createHeartbeats } from "./createHeartbeats.ts";

test("a connection may send a burst of twice its rate per second, and then its rate", () => {
  let now = 0;
  const budget = createConnectionBudget(10, () => now);
  const take = (count: number) => Array.from({ length: count }, () => budget.take()).filter(Boolean).length;
  expect(take(30)).toBe(20);
  now = 500;
  expect(take(30)).toBe(5);
  now = 60_000;
  expect(take(30)).toBe(20);
  // A clock that is set back neither adds nor removes messages.
  now = 0;
  expect(take(1)).toBe(0);
});

test("each member is called once in an interval, and nothing runs without members", async () => {
  const sleeps: { milliseconds: number; wake: () => void }[] = [];
  const clock = {
    sleep: async (milliseconds: number, signal?: AbortSignal) =>
      await new Promise<void>((resolve, reject) => {
        sleeps.push({ milliseconds, wake: resolve });
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      }),
  };
  const heartbeats = createHeartbeats(clock, 15_000);
  expect(sleeps).toHaveLength(0);
  const beats = Array.from({ length: 40 }, () => 0);
  const ends = beats.map((_, index) => heartbeats.add(() => beats[index]!++));
  let passed = 0;
  const callsPerTick: number[] = [];
  while (passed < 30_000) {
    const before = beats.reduce((sum, count) => sum + count, 0);
    const { milliseconds, wake } = sleeps.at(-1)!;
    passed += milliseconds;
    wake();
    await new Promise((resolve) => setImmediate(resolve));
    callsPerTick.push(beats.reduce((sum, count) => sum + count, 0) - before);
  }
  expect(beats).toEqual(beats.map(() => 2));
  expect(Math.max(...callsPerTick)).toBe(3);
  for (const end of ends) end();
  const count = sleeps.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(sleeps).toHaveLength(count);
});
