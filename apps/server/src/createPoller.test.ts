import { expect, test } from "vitest";
import { createManualClock } from "../../../tests/support/server/manualClock.ts";
import { createPoller } from "./createPoller.ts";

/** A poller on a manual clock, whose runs are recorded by their time in milliseconds since the start. */
function startPoller({
  pauses = [1_000],
  ...options
}: {
  pauses?: number[];
  firstPauseMs?: number;
  settleMs?: number;
}) {
  const clock = createManualClock();
  const startedAt = clock.now();
  const runs: number[] = [];
  const poller = createPoller({
    clock,
    ...(options.firstPauseMs !== undefined && { firstPauseMs: options.firstPauseMs }),
    getSettleMs: () => options.settleMs ?? 0,
    run: async () => {
      runs.push(clock.now() - startedAt);
      return pauses[Math.min(runs.length, pauses.length) - 1]!;
    },
  });
  return { clock, poller, runs };
}

test("runs at once, and again after each pause that the run returns", async () => {
  const { clock, poller, runs } = startPoller({ pauses: [1_000, 2_000] });
  await clock.advance(5_000);
  expect(runs).toEqual([0, 1_000, 3_000, 5_000]);
  await poller.stop();
});

test("runs again without a pause after a run that returns 0", async () => {
  const { clock, poller, runs } = startPoller({ pauses: [0, 0, 1_000] });
  await clock.advance(500);
  expect(runs).toEqual([0, 0, 0]);
  await poller.stop();
});

test("waits for the first pause before the first run", async () => {
  const { clock, poller, runs } = startPoller({ firstPauseMs: 1_500 });
  await clock.advance(1_000);
  expect(runs).toEqual([]);
  await clock.advance(1_000);
  expect(runs).toEqual([1_500]);
  await poller.stop();
});

test("a wake ends the pause, and several wakes cause one run", async () => {
  const { clock, poller, runs } = startPoller({ pauses: [60_000] });
  await clock.advance(500);
  poller.wake();
  poller.wake();
  await clock.advance(1_000);
  expect(runs).toEqual([0, 500]);
  await poller.stop();
});

test("a wake before or during a run is not lost", async () => {
  const clock = createManualClock();
  const ends: (() => void)[] = [];
  const poller = createPoller({
    clock,
    firstPauseMs: 60_000,
    run: async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return 60_000;
    },
  });
  poller.wake();
  await clock.advance(500);
  expect(ends).toHaveLength(1);
  poller.wake();
  ends[0]!();
  await clock.advance(500);
  expect(ends).toHaveLength(2);
  ends[1]!();
  await clock.advance(30_000);
  expect(ends).toHaveLength(2);
  await poller.stop();
});

test("a run after a wake waits for the settle time, a run after a pause does not", async () => {
  const { clock, poller, runs } = startPoller({ pauses: [5_000], settleMs: 1_000 });
  await clock.advance(500);
  poller.wake();
  await clock.advance(500);
  poller.wake();
  await clock.advance(6_000);
  expect(runs).toEqual([0, 1_500, 6_500]);
  await poller.stop();
});

test("stop ends a pause, aborts the run, and waits for its end", async () => {
  const { clock, poller, runs } = startPoller({ pauses: [60_000] });
  await clock.advance(500);
  await poller.stop();
  await clock.advance(120_000);
  expect(runs).toEqual([0]);

  let isEnded = false;
  const busy = createPoller({
    clock,
    run: async (signal) => {
      await clock.sleep(60_000, signal).catch(() => undefined);
      await clock.sleep(1_000);
      isEnded = true;
      return 0;
    },
  });
  await clock.advance(500);
  const stopped = busy.stop();
  expect(isEnded).toBe(false);
  await clock.advance(2_000);
  await stopped;
  expect(isEnded).toBe(true);
});
