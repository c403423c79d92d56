import { describe, expect, it } from "vitest";
import { combinePaths, weightsByStep } from "./combineByHeldBack.ts";
import { forecastDoubleSeasonal } from "./doubleSeasonal.ts";
import { forecastDrift } from "./drift.ts";
import { forecastHarmonics } from "./harmonics.ts";
import { accumulateGrams, buildRows, firstRow, scaleGram, solveGram } from "./hierarchicalAr.ts";
import { fittingPeriods } from "./periods.ts";
import { forecastPooledProfile } from "./pooledProfile.ts";
import { toArPrior, toStoredPrior } from "./priors.ts";
import { centredLevel, forecastProfileAr } from "./profileAr.ts";
import { findSeason } from "./seasonalForecast.ts";
import { areCounts, isCandidate, seasonalCorrelation } from "./seasonalGate.ts";
import { forecastSeasonalShift } from "./seasonalMean.ts";
import { addChanges, standardise, takeChanges } from "./transform.ts";
import { forecastWeeklyProfile } from "./weeklyProfile.ts";

/** A week of 28 values with days of 4, repeated exactly. */
const shape = Array.from({ length: 28 }, (_, t) => Math.sin((2 * Math.PI * t) / 4) + (Math.floor(t / 4) >= 5 ? 1 : 0));
const periodic = Float64Array.from({ length: 336 }, (_, t) => shape[t % 28]!);
const expected = Array.from({ length: 20 }, (_, h) => shape[(336 + h) % 28]!);

describe("members of the ensemble", () => {
  it.each([
    ["double seasonal smoothing", forecastDoubleSeasonal(periodic, { day: 4, week: 28 }, 20)],
    ["the median profile", forecastWeeklyProfile(periodic, 28, 20)],
  ])("%s continue an exact period exactly", (_, forecast) => {
    for (const [h, value] of forecast.entries()) expect(value).toBeCloseTo(expected[h]!, 9);
  });

  it("the profile with an autoregression continues a period up to its shrinkage", () => {
    const forecast = forecastProfileAr(periodic, { day: 4, week: 28 }, 20);
    for (const [h, value] of forecast.entries()) expect(Math.abs(value - expected[h]!)).toBeLessThan(0.25);
  });

  it("the pooled profile continues an exact period, and one outlier moves it little", () => {
    const options = { day: 4, week: 28, halfLifeDays: 14 };
    const forecast = forecastPooledProfile(periodic, options, 20);
    for (const [h, value] of forecast.entries()) expect(value).toBeCloseTo(expected[h]!, 2);
    const disturbed = periodic.map((value, t) => (t === 230 ? value + 20 : value));
    for (const [h, value] of forecastPooledProfile(disturbed, options, 20).entries())
      expect(Math.abs(value - expected[h]!)).toBeLessThan(0.35);
  });

  it("the pooled profile uses a week of which some weekdays are unknown, and smooths their differences", () => {
    const noisy = Float64Array.from({ length: 84 }, (_, t) => shape[t % 28]! + Math.sin(t * t) / 2);
    const error = (values: Float64Array, isSmooth: boolean) => {
      const forecast = forecastPooledProfile(values, { day: 4, week: 28, halfLifeDays: 14, isSmooth }, 28);
      return forecast.reduce((sum, value, h) => sum + Math.abs(value - shape[(values.length + h) % 28]!), 0);
    };
    expect(error(noisy, true)).toBeLessThan(error(noisy, false));
    // Five of seven weekdays.
    for (const value of forecastPooledProfile(periodic.slice(0, 20), { day: 4, week: 28, halfLifeDays: 14 }, 28))
      expect(Math.abs(value)).toBeLessThan(2);
  });

  it("the pooled profile averages days of the same shape over all weekdays", () => {
    // 20 weeks of equal days with noise: the mean over all days is nearer to the shape than that of one weekday.
    const noisy = Float64Array.from({ length: 560 }, (_, t) => 3 * Math.sin((Math.PI * t) / 2) + Math.sin(t * t));
    const forecast = forecastPooledProfile(noisy, { day: 4, week: 28, halfLifeDays: 60 }, 28);
    const errors = Array.from(forecast, (value, h) => Math.abs(value - 3 * Math.sin((Math.PI * (560 + h)) / 2)));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.2);
  });

  it("harmonics continue a day and a week of sines, by the values before each origin", () => {
    const shapeAt = (t: number) => Math.sin((2 * Math.PI * t) / 24) + 0.5 * Math.cos((2 * Math.PI * t) / 168);
    const series = Float64Array.from({ length: 1_008 }, (_, t) => shapeAt(t));
    const origins = [
      { known: 840, horizon: 30 },
      { known: 1_008, horizon: 30 },
    ];
    for (const [i, path] of forecastHarmonics(series, { day: 24, week: 168 }, origins).entries())
      for (const [h, value] of path.entries())
        expect(Math.abs(value - shapeAt(origins[i]!.known + h))).toBeLessThan(0.05);
    const changed = series.map((value, t) => (t < 840 ? value : -value));
    const [early] = forecastHarmonics(changed, { day: 24, week: 168 }, origins);
    for (const [h, value] of early!.entries()) expect(Math.abs(value - shapeAt(840 + h))).toBeLessThan(0.1);
  });

  it("continues a season with a constant change exactly", () => {
    const rising = Float64Array.from({ length: 120 }, (_, t) => (t % 24) + 0.5 * Math.floor(t / 24));
    for (const [h, value] of forecastDrift(rising, 24, 48).entries())
      expect(value).toBeCloseTo((h % 24) + 0.5 * Math.floor((120 + h) / 24), 9);
  });

  it("moves the last season by a share of the last deviation that decays", () => {
    const season = [0, 1, 2, 3];
    const forecast = forecastSeasonalShift(Float64Array.from([...season, 0, 1, 2, 7]), 4, 8);
    expect(forecast[0]).toBeCloseTo(3 * 0.08 ** 0.25, 9);
    expect(forecast[4]).toBeCloseTo(3 * 0.08 ** 1.25, 9);
    // With one season, the value before the first one is expected at its end: here 0 - (1 + 1) / 2.
    expect(forecastSeasonalShift(Float64Array.from(season), 4, 1)[0]).toBeCloseTo(2 * 0.08 ** 0.25, 9);
  });

  it("adds the changes of a series to its first value again", () => {
    const values = Float64Array.from([3, 5, 4, 8]);
    const changes = takeChanges({ values });
    expect(changes.values[0]).toBe(0);
    expect(changes.upper).toBeCloseTo(4 / Math.sqrt(21 / 4), 12);
    expect(
      [...addChanges(3, changes.values.subarray(1), changes.size)].map((value) => Number(value.toFixed(9))),
    ).toEqual([5, 4, 8]);
  });

  it("extends the centred level at both ends", () => {
    const level = centredLevel(Float64Array.from([1, 2, 3, 4, 5, 6]), 3);
    expect([...level]).toEqual([2, 2, 3, 4, 5, 5]);
  });

  it("solves a regression with a weak prior like least squares, and with a strong one like the prior", () => {
    const values = [1, 0.5];
    for (let t = 2; t < 300; t++) values.push(0.6 * values[t - 1]! - 0.3 * values[t - 2]! + Math.sin(t * t));
    const series = Float64Array.from(values);
    const design = { lags: [1, 2], season: 1 };
    const rows = buildRows(series, design);
    const weights = new Float64Array(series.length - firstRow(design)).fill(1);
    const [early, whole] = accumulateGrams(series, rows, weights, design, [100, series.length]);
    const prior = {
      mean: Float64Array.from([5, 5]),
      precision: Float64Array.from([1e-9, 0, 0, 1e-9]),
      interceptVariance: 1,
    };
    const { coefficients } = solveGram(whole!, prior, 0.5, 1);
    expect(coefficients[0]).toBeCloseTo(0.6, 1);
    expect(Math.abs(coefficients[1]! + 0.3)).toBeLessThan(0.1);
    expect(solveGram(whole!, prior, 0.5, 1e15).coefficients[0]).toBeCloseTo(5, 1);
    expect(early!.ss[0]).toBe(98);
    expect(scaleGram(early!, 2).ss[0]).toBe(196);
  });

  it("restores a stored prior to the precision of the stored digits", () => {
    const prior = {
      mean: Float64Array.from([1, 2]),
      precision: Float64Array.from([2, 0.5, 0.5, 1]),
      interceptVariance: 0.1,
    };
    const restored = toArPrior(JSON.parse(JSON.stringify(toStoredPrior(prior, 8))));
    for (const [i, value] of restored.precision.entries()) expect(value).toBeCloseTo(prior.precision[i]!, 6);
  });

  it("standardises logarithms and inverts the transformation", () => {
    const { values, toOriginal } = standardise([1, 10, 100], true);
    expect(values[1]).toBeCloseTo(0, 12);
    expect(toOriginal(values[2]!)).toBeCloseTo(100, 9);
  });
});

describe("weights", () => {
  it("fall with the power 2.25 of the error, and are equal without errors", () => {
    const atEnd = (...errors: number[][]) =>
      weightsByStep(
        errors.map((own) => Float64Array.from(own)),
        3,
      ).at(-1);
    expect(atEnd([1, 1], [2, 2])![0]).toBeCloseTo(1 / (1 + 2 ** -2.25), 12);
    expect(atEnd([0], [0], [3])![2]).toBeCloseTo(0, 12);
    expect(atEnd([0], [0])).toEqual([0.5, 0.5]);
    // Equal overall, but the second member is better at the last steps.
    const early = Array.from({ length: 20 }, (_, h) => (h < 10 ? 1 : 3));
    const [first, second] = atEnd(early, early.toReversed())!;
    expect(second! / first!).toBeCloseTo(3, 6);
  });

  it("depend less on the errors near a step if there are one or two origins", () => {
    const early = Float64Array.from({ length: 20 }, (_, h) => (h < 10 ? 1 : 3));
    for (const [origins, sharpness] of [
      [1, 0.5],
      [2, 0.5],
      [3, 1],
    ] as const) {
      const [first, second] = weightsByStep([early, early.toReversed()], origins).at(-1)!;
      expect(second! / first!).toBeCloseTo(3 ** sharpness, 6);
    }
  });

  it("combine a mean without the lowest and the highest fifth of the weight", () => {
    const paths = [1, 2, 100].map((value) => Float64Array.of(value));
    expect(combinePaths(paths, () => [0.4, 0.4, 0.2])[0]).toBeCloseTo((0.2 * 1 + 0.4 * 2) / 0.6, 12);
    expect(combinePaths(paths, () => [0, 0.1, 0.9])[0]).toBe(100);
    expect(combinePaths([paths[2]!, paths[0]!], () => [0.5, 0.5])[0]).toBeCloseTo(50.5, 12);
  });
});

describe("gate", () => {
  it("passes a season and refuses a walk, and one jump does not change the decision", () => {
    const seasonal = [...periodic];
    const walk = seasonal.map((_, t) => Math.sin(t * t * 0.37));
    for (let t = 1; t < walk.length; t++) walk[t]! += walk[t - 1]!;
    const hours = { isYearly: false, isOfCounts: false };
    expect(isCandidate(seasonalCorrelation(seasonal, 4), hours)).toBe(true);
    expect(isCandidate(seasonalCorrelation(walk, 4), hours)).toBe(false);
    expect(isCandidate(seasonalCorrelation(seasonal.with(50, 1e6), 4), hours)).toBe(true);
    expect(isCandidate(null, hours)).toBe(false);
    expect(isCandidate(null, { isYearly: true, isOfCounts: false })).toBe(true);
    expect(seasonalCorrelation([5, 5, 5, 5, 5, 5], 2)).toBe(0);
  });

  it("knows counts by whole numbers, and is lower for them", () => {
    expect(areCounts([0, 3, 12, 3])).toBe(true);
    for (const other of [0.5, -1, 1e7 + 1]) expect(areCounts([1, 2, other])).toBe(false);
    expect(isCandidate(0.05, { isYearly: false, isOfCounts: true })).toBe(true);
    expect(isCandidate(0.05, { isYearly: false, isOfCounts: false })).toBe(false);
    expect(isCandidate(-0.05, { isYearly: false, isOfCounts: true })).toBe(false);
    // A day of noise on a weak shape: counts repeat it, other values do not.
    const day = Array.from({ length: 24 }, (_, h) =>
      Math.round(40 + 10 * Math.sin((Math.PI * h) / 12) + 7 * Math.sin(h * h)),
    );
    expect(findSeason(day, "HOUR_1")).toMatchObject({ isShort: true, isOfCounts: true, isCandidate: true });
    const moved = day.map((value) => value + 0.25);
    expect(findSeason(moved, "HOUR_1")).toMatchObject({ isShort: true, isOfCounts: false, isCandidate: false });
  });

  it("is as high for counts of ten seasons, and of intervals above an hour", () => {
    const counts = Array.from({ length: 240 }, (_, t) => 50 + (t % 24));
    expect(findSeason(counts.slice(1), "HOUR_1").isOfCounts).toBe(true);
    expect(findSeason(counts, "HOUR_1").isOfCounts).toBe(false);
    expect(findSeason(counts.slice(0, 40), "DAY_1").isOfCounts).toBe(false);
  });

  it("omits periods that do not fit three times", () => {
    expect(fittingPeriods("HOUR_1", 504)).toEqual({ season: 24, cycle: 168, profileCycle: 168, isYearly: false });
    expect(fittingPeriods("HOUR_1", 503)).toEqual({ season: 24, cycle: null, profileCycle: 168, isYearly: false });
    expect(fittingPeriods("HOUR_1", 239)).toEqual({ season: 24, cycle: null, profileCycle: null, isYearly: false });
    expect(fittingPeriods("MINUTE_1", 4_096)).toEqual({
      season: null,
      cycle: null,
      profileCycle: null,
      isYearly: false,
    });
  });
});
