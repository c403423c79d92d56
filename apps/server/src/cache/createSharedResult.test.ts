import { beforeEach, describe, expect, it } from "vitest";
import { createSharedResult } from "./createSharedResult.ts";

let nowMs: number;
let started: PromiseWithResolvers<number>[];
let read: () => Promise<number>;
beforeEach(() => {
  nowMs = 1_000_000;
  started = [];
  read = createSharedResult({
    compute: () => {
      const computation = Promise.withResolvers<number>();
      started.push(computation);
      return computation.promise;
    },
    lifetimeMs: 1_000,
    now: () => nowMs,
  });
});

describe("C4-57 a shared result", () => {
  it("costs one computation, however many callers wait for it and however long it takes", async () => {
    const waiting = Array.from({ length: 100 }, () => read());
    nowMs += 60_000;
    waiting.push(read());
    started[0]!.resolve(7);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([7]));
    expect(started.length).toBe(1);
  });

  it("is returned for its lifetime, and then computed again", async () => {
    const first = read();
    started[0]!.resolve(1);
    await first;
    nowMs += 999;
    expect(await read()).toBe(1);
    nowMs += 1;
    const second = read();
    started[1]!.resolve(2);
    expect(await second).toBe(2);
    // A clock that was set back by more than the lifetime does not keep a result.
    nowMs -= 3_600_000;
    void read();
    expect(started.length).toBe(3);
  });

  it("is not kept after a failure", async () => {
    const failed = read();
    started[0]!.reject(new Error("unavailable"));
    await expect(failed).rejects.toThrow("unavailable");
    const next = read();
    started[1]!.resolve(2);
    expect(await next).toBe(2);
  });
});
