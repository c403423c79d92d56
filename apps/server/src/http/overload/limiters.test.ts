import fc from "fast-check";
import { expect, test } from "vitest";
import { createWindows } from "./limiters.ts";

const windowMs = 4_000;
const open = (windows: ReturnType<typeof createWindows>, subject: string, nowMs: number, remaining = 1) =>
  windows.open(subject, { remaining, resetAtMs: nowMs + windowMs }, nowMs);

test("a window is open from its first request until its end", () => {
  const windows = createWindows(windowMs);
  const window = open(windows, "192.0.2.1", 0);
  expect([windows.get("192.0.2.1", 0), windows.get("192.0.2.1", windowMs - 1)]).toEqual([window, window]);
  expect(windows.get("192.0.2.1", windowMs)).toBeUndefined();
  expect(windows.get("192.0.2.2", 0)).toBeUndefined();
});

test("a window from before the clock was set back is not used", () => {
  const windows = createWindows(windowMs);
  open(windows, "192.0.2.1", 3_600_000, 0);
  expect(windows.get("192.0.2.1", 0)).toBeUndefined();
});

test("windows that have ended are dropped when another opens", () => {
  const windows = createWindows(windowMs);
  for (let n = 0; n < 1_000; n++) open(windows, `first ${n}`, n);
  expect(windows.size()).toBe(1_000);
  open(windows, "last", 10_000);
  expect(windows.size()).toBe(1);
});

test("memory is bounded: the oldest window is dropped", () => {
  const windows = createWindows(windowMs, 100);
  for (let n = 0; n < 1_000; n++) open(windows, `subject ${n}`, 0);
  expect(windows.size()).toBe(100);
  expect(windows.get("subject 899", 0)).toBeUndefined();
  expect(windows.get("subject 900", 0)).toBeDefined();
});

test("a reopened window is the newest", () => {
  const windows = createWindows(windowMs, 2);
  open(windows, "a", 0);
  open(windows, "b", 0);
  open(windows, "a", 1);
  open(windows, "c", 2);
  expect(["a", "b", "c"].filter((subject) => windows.get(subject, 2) !== undefined)).toEqual(["a", "c"]);
});

test("each window allows exactly its quota, at any times of requests", () => {
  const quota = 20;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 2_000 }), (gaps) => {
      const windows = createWindows(windowMs);
      let now = 0;
      let opened = Number.NEGATIVE_INFINITY;
      let allowed = 0;
      for (const gap of gaps) {
        now += gap;
        if (now - opened >= windowMs) [opened, allowed] = [now, 0];
        const window = windows.get("192.0.2.1", now) ?? open(windows, "192.0.2.1", now, quota);
        expect(window.remaining).toBe(quota - allowed);
        if (window.remaining === 0) continue;
        window.remaining--;
        allowed++;
      }
    }),
    { numRuns: 200 },
  );
});
