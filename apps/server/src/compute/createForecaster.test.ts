import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import type { SlipwayError } from "@slipway/protocol/errors";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../systemClock.ts";
import { createForecaster, type Forecaster } from "./createForecaster.ts";

const task = { series: Array(10).fill(5), horizon: 2, interval: "HOUR_1" } as const;
const folder = temporaryFolder();
const opened: Forecaster[] = [];
afterAll(async () => {
  await Promise.all(opened.map((forecaster) => forecaster.stop()));
  folder.remove();
});

const [begun, go] = [join(folder.path, "begun"), join(folder.path, "go")];

/** A forecaster whose threads behave as the first value of a series selects. */
function openFaulty(deadlineMs: number, clock = systemClock): Forecaster {
  const program = join(folder.path, "faulty.mjs");
  writeFileSync(
    program,
    `import { existsSync, writeFileSync } from "node:fs";
     export const start = () => undefined;
     export function forecastSeries({ series }) {
       if (series[0] === 1) for (;;);
       if (series[0] === 2) process.exit(1);
       if (series[0] === 3) throw new RangeError("no model");
       if (series[0] === 4) { const all = []; for (;;) all.push(new Array(100_000).fill({})); }
       if (series[0] === 5) { writeFileSync(${JSON.stringify(begun)}, "1", { flag: "a" }); while (!existsSync(${JSON.stringify(go)})); }
       return { environment: Object.keys(process.env) };
     }`,
  );
  return open({ program, deadlineMs, clock });
}

function open(options: { program?: string; deadlineMs?: number; clock?: typeof systemClock } = {}): Forecaster {
  const forecaster = createForecaster({ clock: systemClock, ...options });
  opened.push(forecaster);
  return forecaster;
}

const one = { accountId: "one" };
const fault = (value: number) => ({ ...task, series: [value] });

describe("a forecaster", () => {
  it("forecasts on a thread", async () => {
    expect((await open().forecast(task, one)).forecast).toEqual([5, 5]);
  });

  it("gives its threads no environment", async () => {
    expect(await openFaulty(60_000).forecast(fault(0), one)).toEqual({ environment: [] });
  });

  it("C9-01 ends a forecast at its deadline with 503, and serves the next one", async () => {
    const forecaster = openFaulty(1_000);
    await expect(forecaster.forecast(fault(1), one)).rejects.toMatchObject({ code: "overloaded" });
    await expect.poll(() => forecaster.forecast(fault(0), one).catch(() => null)).not.toBeNull();
  });

  it("C9-01 does not start a forecast that has waited for half of its time, and serves the others", async () => {
    for (const file of [begun, go]) rmSync(file, { force: true });
    let passed = 0;
    const clock = { ...systemClock, now: () => passed };
    const forecaster = openFaulty(60_000, clock);
    const threads = Math.max(1, availableParallelism() - 1);
    const running = Array.from({ length: threads }, () => forecaster.forecast(fault(5), one));
    const late = forecaster.forecast(fault(5), one).catch((error: SlipwayError) => error.message);
    passed = 20_000;
    const inTime = forecaster.forecast(fault(0), one);
    await expect.poll(() => existsSync(begun) && statSync(begun).size).toBe(threads);
    passed = 31_000;
    writeFileSync(go, "");
    expect(await Promise.all([...running, inTime])).toHaveLength(threads + 1);
    expect(await late).toBe("The forecast waited too long.");
    expect(statSync(begun).size).toBe(threads);
  });

  it.each([
    ["exits", 2],
    ["uses up its memory", 4],
  ])("C9-01 responds 503 when a thread %s, and serves the next one", async (_what, value) => {
    // The pool does not notice that a thread exits; the deadline does.
    const forecaster = openFaulty(5_000);
    await expect(forecaster.forecast(fault(value), one)).rejects.toMatchObject({ code: "overloaded" });
    await expect.poll(() => forecaster.forecast(fault(0), one).catch(() => null)).not.toBeNull();
  });

  it("reports an error of the model unchanged", async () => {
    await expect(openFaulty(60_000).forecast(fault(3), one)).rejects.toThrow("no model");
  });

  it("responds 503 when its program cannot be loaded", async () => {
    await expect(open({ program: join(folder.path, "none.mjs") }).forecast(task, one)).rejects.toThrow();
  });

  it("C9-01 accepts four concurrent forecasts of an account and 64 that wait, and releases places", () => {
    const forecaster = open();
    const isRefused = (account: string) => {
      try {
        forecaster.reserve(account, false);
        return false;
      } catch (error) {
        expect((error as SlipwayError).code).toBe("overloaded");
        return true;
      }
    };
    const releases = [1, 2, 3, 4].map(() => forecaster.reserve("one", false));
    expect([isRefused("one"), isRefused("two")]).toEqual([true, false]);
    releases[0]!();
    expect([isRefused("one"), isRefused("one")]).toEqual([false, true]);
    let taken = 5;
    while (!isRefused(`account ${taken}`)) taken++;
    expect(taken).toBeGreaterThanOrEqual(65);
    releases[1]!();
    expect(isRefused("another")).toBe(false);
  });

  it("C9-62 lets a forecast of another account overtake the waiting forecasts of one account", async () => {
    for (const file of [begun, go]) rmSync(file, { force: true });
    const forecaster = openFaulty(60_000);
    const threads = Math.max(1, availableParallelism() - 1);
    const running = Array.from({ length: threads }, () => forecaster.forecast(fault(5), one));
    const order: string[] = [];
    const waiting = Array.from({ length: 20 }, async () => {
      await forecaster.forecast(fault(0), one);
      order.push("one");
    });
    const other = forecaster.forecast(fault(0), { accountId: "other" }).then(() => order.push("other"));
    await expect.poll(() => existsSync(begun) && statSync(begun).size).toBe(threads);
    writeFileSync(go, "");
    await Promise.all([...running, ...waiting, other]);
    expect(order.indexOf("other")).toBeLessThanOrEqual(threads);
  });

  it("C9-62 lets a series of a batch wait for its turn as long as the batch lasts", async () => {
    for (const file of [begun, go]) rmSync(file, { force: true });
    let passed = 0;
    const forecaster = openFaulty(60_000, { ...systemClock, now: () => passed });
    const threads = Math.max(1, availableParallelism() - 1);
    const running = Array.from({ length: threads }, () => forecaster.forecast(fault(5), one));
    const late = forecaster.forecast(fault(0), { accountId: "other", maxWaitMs: 120_000 });
    await expect.poll(() => existsSync(begun) && statSync(begun).size).toBe(threads);
    passed = 100_000;
    writeFileSync(go, "");
    await Promise.all(running);
    expect(await late).toHaveProperty("environment");
  });

  it("C9-62 accepts one batch of an account and two of all accounts for each thread, and releases their places", () => {
    const threads = Math.max(1, availableParallelism() - 1);
    let forecaster = open();
    const take = (account: string) => {
      try {
        return forecaster.reserve(account, true);
      } catch {
        return null;
      }
    };
    const releases = Array.from({ length: 2 * threads }, (_, i) => take(`account ${i}`));
    expect(releases.every((release) => release !== null)).toBe(true);
    expect(take("another")).toBeNull();
    // A refused batch takes no place of single forecasts.
    for (let i = 0; i < 4; i++) forecaster.reserve("another", false);
    releases[0]!();
    const own = Array.from({ length: threads + 1 }, () => take("account 0"));
    expect(own.filter((release) => release !== null)).toHaveLength(1);
    forecaster = open();
    const ofOne = Array.from({ length: threads + 1 }, () => take("one"));
    expect(ofOne.filter((release) => release !== null)).toHaveLength(Math.min(4, threads));
  });
});
