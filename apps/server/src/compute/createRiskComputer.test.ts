import { afterAll, expect, test } from "vitest";
import { getLastHour, riskBars } from "../../../../tests/support/markets/riskBars.ts";
import { systemClock } from "../systemClock.ts";
import { computeRisk, start } from "./computeRisk.ts";
import { createRiskComputer } from "./createRiskComputer.ts";

const computer = createRiskComputer({ clock: systemClock });
afterAll(() => computer.stop());

const bars = riskBars(310, getLastHour());
const column = (pick: (bar: (typeof bars)[number]) => number) => Float64Array.from(bars, pick);
const task = {
  bars: {
    time: column(({ time }) => time),
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close),
    quoteVolume: column(({ quoteVolume }) => quoteVolume!),
  },
  stored: [],
};

test("a thread computes the same as the function, also from stored forecasts that were parsed from JSON", async () => {
  start();
  const here = computeRisk(task);
  expect(await computer.compute(task)).toEqual(here);
  const stored = JSON.parse(JSON.stringify(here.made)) as typeof here.made;
  expect(await computer.compute({ ...task, stored })).toEqual({ ...here, made: [] });
});

test("invalid input is an error, and the thread serves the next task", async () => {
  const none = { ...task.bars, time: new Float64Array(0) };
  await expect(computer.compute({ ...task, bars: none })).rejects.toThrow("a snapshot needs a bar");
  expect((await computer.compute(task)).history).toHaveLength(168);
});
