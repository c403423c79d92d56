import { expect, test } from "vitest";
import { createRotation } from "./createRotation.ts";

/** A clock whose seconds pass when the test says so. */
function createStepClock() {
  let now = 1_000_000;
  const sleeping = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const one = { until: now + milliseconds, wake: resolve };
        sleeping.add(one);
        signal?.addEventListener("abort", () => {
          sleeping.delete(one);
          reject(new Error("aborted"));
        });
      }),
    sleepers: () => sleeping.size,
    set: (milliseconds: number) => {
      now = milliseconds;
    },
    async step(milliseconds: number): Promise<void> {
      for (const end = now + milliseconds; ; ) {
        const next = [...sleeping].sort((a, b) => a.until - b.until)[0];
        if (next === undefined || next.until > end) {
          now = end;
          return;
        }
        now = Math.max(now, next.until);
        sleeping.delete(next);
        next.wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

test("calls each member every 30 seconds, to one second, and spreads those that came at once over all slots", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const calls = Array.from({ length: 900 }, () => [] as number[]);
  const leave = calls.map((own) => rotation.add(() => own.push(clock.now())));
  await clock.step(40 * 60_000);
  const gaps = calls.flatMap((own) => own.slice(1).map((at, i) => at - own[i]!));
  expect([Math.min(...gaps), Math.max(...gaps)]).toEqual([30_000, 31_000]);
  expect(Math.max(...calls.map((own) => own[0]! - 1_000_000))).toBeLessThanOrEqual(31_000);
  // After some rounds every second has its share.
  const lastRound = Map.groupBy(
    calls.map((own) => own.at(-1)!),
    (at) => at,
  );
  expect([...lastRound.values()].map((some) => some.length)).toEqual(new Array(30).fill(30));
  for (const one of leave) one();
});

test("calls those that come at different times at their own times, nothing that left, and sleeps without members", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const seen: string[] = [];
  const first = rotation.add(() => seen.push("first"));
  await clock.step(10_500);
  const second = rotation.add(() => seen.push("second"));
  await clock.step(19_500);
  expect(seen).toEqual(["first"]);
  await clock.step(10_000);
  expect(seen).toEqual(["first", "second"]);
  first();
  await clock.step(60_000);
  expect(seen).toEqual(["first", "second", "second", "second"]);
  second();
  expect(clock.sleepers()).toBe(0);
});

test("makes up for no seconds when the clock is set, and goes on", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  let calls = 0;
  const leave = rotation.add(() => calls++);
  await clock.step(5_000);
  clock.set(clock.now() + 3_600_000);
  await clock.step(20_000);
  expect(calls).toBe(0);
  await clock.step(10_000);
  expect(calls).toBe(1);
  clock.set(clock.now() - 7_200_000);
  await clock.step(7_200_000 + 62_000);
  expect(calls).toBeGreaterThan(1);
  leave();
});
