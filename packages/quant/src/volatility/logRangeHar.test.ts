import { describe, expect, it } from "vitest";
import { riskSnapshot } from "../risk/riskSnapshot.ts";
import { type Days, toDays } from "./dailyVariances.ts";
import { meanLogRange, type RiskBars, toHourGrid } from "./hourGrid.ts";
import { fitLogRanges, forecastLogRanges, logRangeHours, meansOfDay, weekendShare } from "./logRangeHar.ts";

const hour = 3_600;
const at = (text: string) => Date.parse(text) / 1000;
/** A Monday. */
const begin = at("2024-01-01T00:00Z");

/** Normal numbers of a fixed generator. */
function createNormal(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Hourly bars of a walk; log variance is autoregressive by day, and lower by `calm` at weekends.
 *
 * @param idle the shares of hours without movement on weekdays and at weekends
 */
function createBars(days: number, calm: number, idle: readonly [number, number] = [0, 0]): RiskBars {
  const normal = createNormal(5);
  const rows: number[][] = [];
  let [price, log] = [100, 0];
  for (let t = 0; t < days * 24; t++) {
    if (t % 24 === 0) log = 0.8 * log + 0.3 * normal();
    const time = begin + t * hour;
    const isWeekend = weekendShare(time, time + hour) === 1;
    const isIdle = (t * 7) % 24 < 24 * idle[isWeekend ? 1 : 0];
    const scale = isIdle ? 0 : 0.005 * Math.exp((log - (isWeekend ? calm : 0)) / 2);
    // A walk of several steps, so that its range depends on their size.
    const path = [price];
    for (let step = 0; step < 12; step++) path.push(path.at(-1)! * Math.exp((scale / Math.sqrt(12)) * normal()));
    rows.push([time, price, Math.max(...path), Math.min(...path), path.at(-1)!]);
    price = path.at(-1)!;
  }
  const [time, open, high, low, close] = [0, 1, 2, 3, 4].map((k) => Float64Array.from(rows, (row) => row[k]!));
  return {
    time: time!,
    open: open!,
    high: high!,
    low: low!,
    close: close!,
    quoteVolume: new Float64Array(rows.length),
  };
}

const endOfDay = 23 * hour;
const bars = createBars(400, 0.8);
const days = toDays(bars, endOfDay);
const fit = fitLogRanges(days, days.end.length)!;

/** Mean ratios of realised variance to the forecast by the days before it, at weekends and on other days. */
function measureRatios(of: Days): number[] {
  const ratios: [number[], number[]] = [[], []];
  for (let t = 300; t < of.end.length; t++) {
    const forecast = forecastLogRanges(fitLogRanges(of, t)!, meansOfDay(of, t - 1), of.end[t - 1]!);
    const isWeekend = weekendShare(of.end[t]! - 24 * hour, of.end[t]!) > 0.5;
    ratios[isWeekend ? 0 : 1].push(of.realised[t]! / forecast);
  }
  return ratios.map((list) => list.reduce((sum, value) => sum + value, 0) / list.length);
}

describe("HAR on logs of ranges", () => {
  it("computes the weekend share of a time, in UTC", () => {
    expect(weekendShare(at("2024-01-05T23:00Z"), at("2024-01-06T23:00Z"))).toBeCloseTo(23 / 24, 12);
    expect(weekendShare(at("2024-01-06T00:00Z"), at("2024-01-08T00:00Z"))).toBe(1);
    expect(weekendShare(at("2024-01-08T00:00Z"), at("2024-01-13T00:00Z"))).toBe(0);
    expect(weekendShare(at("2024-01-07T12:00Z"), at("2024-01-08T12:00Z"))).toBe(0.5);
    expect(weekendShare(at("2024-01-03T07:00Z"), at("2024-01-31T07:00Z"))).toBeCloseTo(2 / 7, 12);
  });

  it("estimates how much calmer weekends are, and forecasts them", () => {
    for (const effect of Object.values(fit.weekend)) {
      expect(effect).toBeGreaterThan(-0.95);
      expect(effect).toBeLessThan(-0.65);
    }
    for (const mean of measureRatios(days)) {
      expect(mean).toBeGreaterThan(0.85);
      expect(mean).toBeLessThan(1.15);
    }
  });

  it("distinguishes hours without movement, which are more frequent at weekends, from calm", () => {
    const thin = toDays(createBars(400, 0, [0.25, 0.5]), endOfDay);
    const { logRange, logVariance } = fitLogRanges(thin, thin.end.length)!.weekend;
    expect(logRange).toBeLessThan(4 * logVariance);
    for (const mean of measureRatios(thin)) {
      expect(mean).toBeGreaterThan(0.8);
      expect(mean).toBeLessThan(1.25);
    }
  });

  it("has no weekend effect when the data have none", () => {
    const even = toDays(createBars(400, 0), endOfDay);
    for (const effect of Object.values(fitLogRanges(even, even.end.length)!.weekend))
      expect(Math.abs(effect)).toBeLessThan(0.2);
  });

  it("uses only the first days, and returns null below 60 days", () => {
    const cut = (values: Float64Array) => values.subarray(0, 200);
    const { end, realised, range, logRange, logHalfDay } = days;
    const first = {
      range: cut(range),
      end: end.slice(0, 200),
      realised: cut(realised),
      logRange: cut(logRange),
      logHalfDay: cut(logHalfDay),
    };
    expect(fitLogRanges(days, 200)).toEqual(fitLogRanges(first, 200));
    expect(fitLogRanges(days, 59)).toBeNull();
    expect(fitLogRanges(days, 60)).not.toBeNull();
  });

  it("has the same means from hours as from days", () => {
    const grid = toHourGrid(bars);
    for (const t of [40, 250]) {
      const last = (days.end[t]! - begin) / hour - 1;
      const means = logRangeHours.map((hours) => meanLogRange(grid, last, hours));
      meansOfDay(days, t).forEach((mean, k) => {
        expect(means[k]).toBeCloseTo(mean, 10);
      });
    }
    expect(meanLogRange(grid, 100, 720)).toBeNaN();
    // A missing hour does not change the mean of the others.
    const known = toHourGrid(bars);
    const missing = toHourGrid(bars);
    for (const name of ["high", "low"] as const) missing[name][95] = Number.NaN;
    known.high[95] = known.low[95]! * 1.5;
    const others = 12 * meanLogRange(known, 99, 12) - Math.log(Math.log(1.5) ** 2 / (4 * Math.LN2));
    expect(meanLogRange(missing, 99, 12)).toBeCloseTo(others / 11, 10);
  });

  it("stays finite for hours without movement, and unknown where a mean is unknown", () => {
    const flat = bars.close.length;
    const still = { ...bars, high: new Float64Array(flat).fill(5), low: new Float64Array(flat).fill(5) };
    const quiet = toDays(still, endOfDay);
    const means = meansOfDay(quiet, quiet.end.length - 1);
    const known = forecastLogRanges(fitLogRanges(quiet, quiet.end.length)!, means, quiet.end.at(-1)!);
    expect(known > 0 && known < 1).toBe(true);
    expect(forecastLogRanges(fit, [Number.NaN, ...means.slice(1)], quiet.end.at(-1)!)).toBeNaN();
  });

  it("is the published forecast at the close of a bar, for any stored daily forecasts", () => {
    const length = (days.end.at(-1)! - begin) / hour;
    const until = (values: ArrayLike<number>) => Float64Array.from(values).subarray(0, length);
    const { time, open, high, low, close, quoteVolume } = bars;
    const closed = {
      time: until(time),
      open: until(open),
      high: until(high),
      low: until(low),
      close: until(close),
      quoteVolume: until(quoteVolume),
    };
    const { snapshot, made } = riskSnapshot(closed);
    const last = days.end.length - 1;
    const variance = forecastLogRanges(fit, meansOfDay(days, last), days.end[last]!);
    expect(snapshot.volatility.harDaily).toBeCloseTo(Math.sqrt(variance), 8);
    expect(riskSnapshot(closed, made).snapshot).toEqual(snapshot);
  });
});
