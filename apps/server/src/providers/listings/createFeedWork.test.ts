import { describe, expect, test } from "vitest";
import { createFeedWork, maxFeedCpuMs } from "./createFeedWork.ts";

/** Creates work whose parts take the given CPU time. */
function start() {
  let cpuMs = 0;
  const pauses: number[] = [];
  const work = createFeedWork({
    signal: new AbortController().signal,
    readCpuMs: () => cpuMs,
    pause: async () => void pauses.push(cpuMs),
  });
  const spend = (ms: number) =>
    work(() => {
      cpuMs += ms;
      return ms;
    });
  return { pauses, spend };
}

describe("C9-47 the work of a reading", () => {
  test("pauses by its CPU time, not by the number of its parts", async () => {
    const { spend, pauses } = start();
    for (let part = 0; part < 99; part++) await spend(0.1);
    expect(pauses).toHaveLength(0);
    await spend(0.2);
    expect(pauses).toHaveLength(1);
    expect([await spend(15), await spend(4)]).toEqual([15, 4]);
    expect(pauses).toHaveLength(2);
  });

  test("ends above the maximum, with a code", async () => {
    const { spend } = start();
    for (let spent = 0; spent < maxFeedCpuMs; spent += 1_000) await spend(1_000);
    await expect(spend(1)).rejects.toMatchObject({ name: "FeedError", code: "too_much_work" });
  });

  test("does not count the CPU time between its parts", async () => {
    let cpuMs = 0;
    const work = createFeedWork({ signal: new AbortController().signal, readCpuMs: () => cpuMs });
    await work(() => undefined);
    cpuMs += 2 * maxFeedCpuMs;
    await expect(work(() => "read")).resolves.toBe("read");
  });

  test("ends with its signal", async () => {
    const stopping = new AbortController();
    stopping.abort();
    let cpuMs = 0;
    const work = createFeedWork({ signal: stopping.signal, readCpuMs: () => cpuMs });
    await expect(work(() => (cpuMs += 20))).rejects.toMatchObject({ name: "AbortError" });
  });
});
