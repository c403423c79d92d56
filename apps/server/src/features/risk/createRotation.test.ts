import { expect, test } from "vitest";
import { createRotation } from "./createRotation.ts";

/** A clock that the test advances. */
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

test("C6-04 calls each member every 30 s to within 100 ms, and spreads simultaneous joins over slots", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const calls = Array.from({ length: 20 }, () => [] as number[]);
  const leave = calls.map((own) => rotation.add(() => own.push(clock.now())));
  await clock.step(25 * 30_000);
  const gaps = calls.flatMap((own) => own.slice(1).map((at, i) => at - own[i]!));
  expect([Math.min(...gaps), Math.max(...gaps)]).toEqual([30_000, 30_100]);
  expect(new Set(calls.map((own) => own[0]! - 1_000_000))).toEqual(new Set([30_000]));
  // After some rounds no slot has more than its share of one member.
  expect(new Set(calls.map((own) => own.at(-1)! % 30_000)).size).toBe(20);
  for (const one of leave) one();
});

test("calls a member that joined between two slots after 30 seconds, less 100 ms at most", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const leaveFirst = rotation.add(() => undefined);
  for (const wait of [1_000, 30, 950, 7]) {
    await clock.step(wait);
    const joinedAt = clock.now();
    const calls: number[] = [];
    const leave = rotation.add(() => calls.push(clock.now() - joinedAt));
    await clock.step(30_100);
    leave();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toBeGreaterThanOrEqual(29_900);
    expect(calls[0]).toBeLessThanOrEqual(30_000);
  }
  leaveFirst();
});

test("corrects a delay of less than a second, so that the next call is on time", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const calls: number[] = [];
  const startedAt = clock.now();
  const leave = rotation.add(() => calls.push(clock.now() - startedAt));
  await clock.step(29_950);
  clock.set(clock.now() + 600);
  await clock.step(60_000);
  expect(calls).toEqual([30_550, 60_000, 90_000]);
  leave();
});

test("calls members 30 seconds after their own joins, none that left, and sets no timer without members", async () => {
  const clock = createStepClock();
  const rotation = createRotation(clock);
  const seen: string[] = [];
  const first = rotation.add(() => seen.push("first"));
  await clock.step(10_500);
  const second = rotation.add(() => seen.push("second"));
  await clock.step(19_500);
  expect(seen).toEqual(["first"]);
  await clock.step(10_600);
  expect(seen).toEqual(["first", "second"]);
  first();
  await clock.step(60_000);
  expect(seen).toEqual(["first", "second", "second", "second"]);
  second();
  expect(clock.sleepers()).toBe(0);
});

test("skips the missed seconds when the clock is set, and continues", async () => {
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
