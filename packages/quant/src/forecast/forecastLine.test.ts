import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forecastLine } from "./forecastLine.ts";
import { type Interval, intervals } from "./periods.ts";

/** Hourly values with a daily and a weekly shape, and a small deterministic disturbance. */
function createHourly(length: number, level = 100): number[] {
  return Array.from({ length }, (_, t) => {
    const weekend = Math.floor(t / 24) % 7 >= 5 ? 0.5 : 1;
    const disturbance = Math.sin(t * t * 0.7) * 2;
    return level + 30 * weekend * Math.sin((2 * Math.PI * t) / 24) + disturbance;
  });
}

/** A random walk without season, with steps of a small linear congruential generator. */
function createWalk(length: number, seed = 1): number[] {
  let state = seed;
  let price = 100;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    price *= 1 + (state / 2_147_483_648 - 0.5) * 0.02;
    return price;
  });
}

const order = ["0.025", "0.1", "0.25", "0.5", "0.75", "0.9", "0.975"];
const hourly = createHourly(600);

describe("forecastLine", () => {
  it("continues the shape of a seasonal series better than its last value", () => {
    const whole = createHourly(648);
    const answer = forecastLine(whole.slice(0, 600), 48, "HOUR_1");
    expect(answer.model.name).toBe("ensemble");
    expect(answer.model.seasonalPeriods).toEqual([24, 168]);
    const error = (from: (h: number) => number) =>
      answer.forecast.reduce((sum, _, h) => sum + Math.abs(whole[600 + h]! - from(h)), 0);
    expect(error((h) => answer.forecast[h]!)).toBeLessThan(0.25 * error(() => whole[599]!));
    expect(answer.diagnostics.backtest?.origins).toBe(4);
    expect(answer.diagnostics.backtest?.relativeToLastValue).toBeLessThan(0.3);
    const weights = answer.model.members.map(({ weight }) => weight);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 6);
  });

  it("returns the last value for a walk, reports no skill, and widens with the horizon", () => {
    const walk = createWalk(700);
    const answer = forecastLine(walk, 24, "HOUR_1");
    expect(answer.model).toMatchObject({ name: "last_value", members: [{ name: "last_value", weight: 1 }] });
    expect(answer.forecast.every((value) => Math.abs(value / walk.at(-1)! - 1) < 1e-8)).toBe(true);
    expect(answer.diagnostics.warnings).toEqual(["no_skill_over_last_value"]);
    const width = (h: number) => answer.intervals[2]!.upper[h]! - answer.intervals[2]!.lower[h]!;
    expect(width(23)).toBeGreaterThan(3 * width(0));
  });

  it.each([24, 30, 48, 60])("repeats the day of a series of %i hours, better than its last value", (length) => {
    const whole = createHourly(length + 24);
    const answer = forecastLine(whole.slice(0, length), 24, "HOUR_1");
    expect(answer.model).toMatchObject({ name: "ensemble", seasonalPeriods: [24] });
    expect(answer.diagnostics).toMatchObject({ seasonal: true, seasonalStrength: null, backtest: null });
    expect(answer.diagnostics.warnings).toContain("short_series");
    const sum = (from: (h: number) => number) =>
      answer.forecast.reduce((total, _, h) => total + Math.abs(whole[length + h]! - from(h)), 0);
    expect(sum((h) => answer.forecast[h]!)).toBeLessThan(0.5 * sum(() => whole[length - 1]!));
    const { lower, upper } = answer.intervals[2]!;
    for (const [h, value] of lower.entries()) expect(upper[h]! - value).toBeGreaterThan(0);
  });

  it("does not repeat the days of most short walks", () => {
    const walk = createWalk(4_000);
    const names = Array.from(
      { length: 60 },
      (_, k) => forecastLine(walk.slice(60 * k, 60 * k + 48), 24, "HOUR_1").model.name,
    );
    expect(names.filter((name) => name === "ensemble").length).toBeLessThanOrEqual(6);
  });

  it("compares the backtest at each step with the last value and with the last season", () => {
    const { backtest } = forecastLine(hourly, 24, "HOUR_1").diagnostics;
    const { forecast, lastValue, seasonalNaive } = backtest!.errorsByStep;
    expect([forecast.length, lastValue.length, seasonalNaive!.length]).toEqual([48, 48, 48]);
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(forecast) / mean(lastValue)).toBeCloseTo(backtest!.relativeToLastValue!, 4);
    expect(mean(forecast)).toBeLessThan(mean(seasonalNaive!));
    const walk = forecastLine(createWalk(700), 12, "HOUR_1").diagnostics.backtest!.errorsByStep;
    expect(walk.forecast).toEqual(walk.lastValue);
    expect(walk.seasonalNaive).toHaveLength(12);
    const doubled = forecastLine(
      hourly.map((value) => 2 * value),
      24,
      "HOUR_1",
    ).diagnostics.backtest!.errorsByStep;
    expect(doubled.lastValue[0]).toBeCloseTo(2 * lastValue[0]!, 6);
  });

  it("repeats a constant with zero width and a warning", () => {
    const answer = forecastLine(new Array<number>(50).fill(7.25), 5, "HOUR_1");
    expect(new Set([...answer.forecast, ...answer.mean, ...answer.intervals.flatMap((each) => each.upper)])).toEqual(
      new Set([7.25]),
    );
    expect(answer.diagnostics.warnings).toEqual(["constant_series"]);
    expect(answer.diagnostics.backtest).toBeNull();
  });

  it("reports a level outside of the range of earlier levels", () => {
    const shifted = createHourly(600).map((value, t) => (t >= 570 ? value + 500 : value));
    expect(forecastLine(shifted, 12, "HOUR_1").diagnostics.warnings).toContain("level_shift");
    expect(forecastLine(hourly, 12, "HOUR_1").diagnostics.warnings).not.toContain("level_shift");
  });

  it("refuses fewer than 10 values, values that are not finite, and horizons longer than the series", () => {
    expect(() => forecastLine([1, 2, 3], 1, "HOUR_1")).toThrow(RangeError);
    expect(() => forecastLine([...hourly, Number.NaN], 1, "HOUR_1")).toThrow(RangeError);
    for (const horizon of [0, 1.5, 601, Number.NaN])
      expect(() => forecastLine(hourly, horizon, "HOUR_1")).toThrow(RangeError);
  });

  it("returns the same bytes for the same input, with at most 9 significant digits", () => {
    const answer = forecastLine(hourly, 48, "HOUR_1");
    expect(JSON.stringify(forecastLine(hourly, 48, "HOUR_1"))).toBe(JSON.stringify(answer));
    for (const value of [...answer.forecast, ...answer.mean]) expect(value).toBe(Number(value.toPrecision(9)));
  });

  it("scales with the series", () => {
    fc.assert(
      fc.property(fc.double({ min: -40, max: 40, noNaN: true }), (exponent) => {
        const factor = 2 ** exponent;
        const scaled = forecastLine(
          hourly.map((value) => value * factor),
          6,
          "HOUR_1",
        );
        for (const [h, value] of forecastLine(hourly, 6, "HOUR_1").forecast.entries())
          expect(scaled.forecast[h]! / factor / value).toBeCloseTo(1, 7);
      }),
      { numRuns: 8 },
    );
  });

  it("shifts with a series of both signs", () => {
    const centred = createHourly(400, 0);
    const answer = forecastLine(centred, 12, "HOUR_1");
    const shifted = forecastLine(
      centred.map((value) => value - 1_000),
      12,
      "HOUR_1",
    );
    for (const [h, value] of answer.forecast.entries()) expect(shifted.forecast[h]! + 1_000).toBeCloseTo(value, 3);
  });

  it("has ordered quantiles, finite numbers, and no negative values for non-negative input", () => {
    const value = fc.oneof(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: 0, max: 3 }),
    );
    const series = fc.oneof(
      fc.array(value, { minLength: 10, maxLength: 120 }),
      fc.array(fc.nat({ max: 5 }), { minLength: 80, maxLength: 260 }),
      // A repeated day, with a few values replaced.
      fc
        .tuple(fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 24, maxLength: 24 }), fc.nat(200))
        .map(([day, odd]) => Array.from({ length: 240 }, (_, t) => (t === odd ? 1e5 : day[t % 24]!))),
    );
    fc.assert(
      fc.property(
        series,
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom<Interval>(...intervals),
        (values, horizon, interval) => {
          const answer = forecastLine(values, horizon, interval);
          const isNonNegative = values.every((each) => each >= 0);
          for (let h = 0; h < horizon; h++) {
            const column = order.map((name) => answer.quantiles[name]![h]!);
            for (const [k, each] of column.entries()) {
              expect(Number.isFinite(each)).toBe(true);
              if (k > 0) expect(each).toBeGreaterThanOrEqual(column[k - 1]!);
              if (isNonNegative) expect(each).toBeGreaterThanOrEqual(0);
            }
            expect(Number.isFinite(answer.mean[h])).toBe(true);
          }
          expect(answer.quantiles["0.5"]).toEqual(answer.forecast);
        },
      ),
      { numRuns: 60, seed: 20_260_101 },
    );
  });

  it("C9-61 has finite numbers if one value is larger than the others by more than the range of numbers", () => {
    for (const length of [10, 50, 200]) {
      for (const place of [4, length - 1]) {
        const series = Array.from({ length }, (_, t) => (t === place ? 1e308 : 0.5 + t / 100));
        const { mean, quantiles } = forecastLine(series, 10, "HOUR_1");
        for (const values of [mean, ...Object.values(quantiles)]) expect(values.every(Number.isFinite)).toBe(true);
      }
    }
  });

  it("tries the ensemble on weekly series without a season, and uses the last value if it is better", () => {
    const trend = Array.from({ length: 100 }, (_, t) => 200 + 3 * t + Math.sin(t * t));
    const answer = forecastLine(trend, 13, "WEEK_1");
    expect(answer.model.name).toBe("ensemble");
    expect(answer.model.seasonalPeriods).toEqual([]);
    expect(answer.forecast[12]).toBeGreaterThan(trend[99]! + 15);
    expect(forecastLine(trend, 13, "DAY_1").model.name).toBe("last_value");
    const yearly = Array.from({ length: 300 }, (_, t) => 100 + 20 * Math.sin((2 * Math.PI * t) / 52) + Math.sin(t * t));
    expect(forecastLine(yearly, 13, "WEEK_1").model.seasonalPeriods).toEqual([52]);
  });

  it("returns finite numbers for every length of a seasonal series, even with short held-back histories", () => {
    for (let length = 10; length < 620; length += 6) {
      const { forecast, intervals: all, model, diagnostics } = forecastLine(createHourly(length), 5, "HOUR_1");
      for (const value of [...forecast, ...all.flatMap(({ lower, upper }) => [...lower, ...upper])])
        expect(Number.isFinite(value), `length ${length}`).toBe(true);
      // A forecast without out-of-sample evaluation is not returned as certain.
      expect(all[2]!.upper[4]! - all[2]!.lower[4]!, `length ${length}`).toBeGreaterThan(0);
      if (model.name === "ensemble" && length >= 72)
        expect(diagnostics.backtest?.mase, `length ${length}`).toBeGreaterThan(0);
    }
  });

  it("forecasts hours by the last 112 days", () => {
    const long = createHourly(4_096);
    const changed = long.map((value, t) => (t < 4_096 - 112 * 24 ? value + 3 * Math.sin(t) : value));
    expect(forecastLine(changed, 24, "HOUR_1").forecast).toEqual(forecastLine(long, 24, "HOUR_1").forecast);
  });

  it("forecasts the longest series and horizon of every interval", () => {
    for (const interval of intervals) {
      const answer = forecastLine(createHourly(interval === "HOUR_1" ? 4_096 : 1_000), 256, interval);
      expect(answer.forecast).toHaveLength(256);
      expect(answer.forecast.every(Number.isFinite)).toBe(true);
    }
  });
});
