import { describe, expect, it } from "vitest";
import { forecastAnalogue } from "./analogue.ts";
import { combinePaths, weightsByStep } from "./combineByHeldBack.ts";
import { forecastDoubleSeasonal } from "./doubleSeasonal.ts";
import { accumulateGrams, buildRows, firstRow, recencyAverage, scaleGram, solveGram } from "./hierarchicalAr.ts";
import { fittingPeriods } from "./periods.ts";
import { toArPrior, toStoredPrior } from "./priors.ts";
import { centredLevel, forecastProfileAr } from "./profileAr.ts";
import { isCandidate, seasonalCorrelation } from "./seasonalGate.ts";
import { standardise } from "./transform.ts";
import { forecastWeeklyProfile } from "./weeklyProfile.ts";

/** A week of 28 values with days of 4, repeated exactly. */
const shape = Array.from({ length: 28 }, (_, t) => Math.sin((2 * Math.PI * t) / 4) + (Math.floor(t / 4) >= 5 ? 1 : 0));
const periodic = Float64Array.from({ length: 336 }, (_, t) => shape[t % 28]!);
const expected = Array.from({ length: 20 }, (_, h) => shape[(336 + h) % 28]!);

describe("members of the ensemble", () => {
  it.each([
    ["analogues", forecastAnalogue(periodic, 14, 20)],
    ["double seasonal smoothing", forecastDoubleSeasonal(periodic, { day: 4, week: 28 }, 20)],
    ["the median profile", forecastWeeklyProfile(periodic, 28, 20)],
  ])("%s continue an exact period exactly", (_, forecast) => {
    for (const [h, value] of forecast.entries()) expect(value).toBeCloseTo(expected[h]!, 9);
  });

  it("the profile with an autoregression continues a period up to its shrinkage", () => {
    const forecast = forecastProfileAr(periodic, { day: 4, week: 28 }, 20);
    for (const [h, value] of forecast.entries()) expect(Math.abs(value - expected[h]!)).toBeLessThan(0.25);
  });

  it("extends the centred level at both ends", () => {
    const level = centredLevel(Float64Array.from([1, 2, 3, 4, 5, 6]), 3);
    expect([...level]).toEqual([2, 2, 3, 4, 5, 5]);
  });

  it("averages the same position of earlier periods with halving weights", () => {
    expect([...recencyAverage(Float64Array.from([8, 0, 4, 0, 2]), 2)]).toEqual([0, 0, 8, 0, 6]);
  });

  it("solves a regression with a weak prior like least squares, and with a strong one like the prior", () => {
    const values = [1, 0.5];
    for (let t = 2; t < 300; t++) values.push(0.6 * values[t - 1]! - 0.3 * values[t - 2]! + Math.sin(t * t));
    const series = Float64Array.from(values);
    const design = { lags: [1, 2], average: null, season: 1 };
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
  it("fall with the third power of the error, and are equal without errors", () => {
    const atEnd = (...errors: number[][]) => weightsByStep(errors.map((own) => Float64Array.from(own))).at(-1);
    expect(atEnd([1, 1], [2, 2])![0]).toBeCloseTo(8 / 9, 12);
    expect(atEnd([0], [0], [3])![2]).toBeCloseTo(0, 12);
    expect(atEnd([0], [0])).toEqual([0.5, 0.5]);
    // Equal overall, but the second member is better at the last steps.
    const early = Array.from({ length: 20 }, (_, h) => (h < 10 ? 1 : 3));
    const [first, second] = atEnd(early, early.toReversed())!;
    expect(second! / first!).toBeCloseTo(3 ** 1.5, 6);
  });

  it("combine half a mean and half a median, so that one outlying path moves the result by half its weight", () => {
    const paths = [1, 2, 100].map((value) => Float64Array.of(value));
    expect(combinePaths(paths, () => [0.4, 0.4, 0.2])[0]).toBeCloseTo((21.2 + 2) / 2, 12);
  });
});

describe("gate", () => {
  it("passes a season and refuses a walk, and one jump does not change the decision", () => {
    const seasonal = [...periodic];
    const walk = seasonal.map((_, t) => Math.sin(t * t * 0.37));
    for (let t = 1; t < walk.length; t++) walk[t]! += walk[t - 1]!;
    const hours = { isYearly: false };
    expect(isCandidate(seasonalCorrelation(seasonal, 4), hours)).toBe(true);
    expect(isCandidate(seasonalCorrelation(walk, 4), hours)).toBe(false);
    expect(isCandidate(seasonalCorrelation(seasonal.with(50, 1e6), 4), hours)).toBe(true);
    expect(isCandidate(null, hours)).toBe(false);
    expect(isCandidate(null, { isYearly: true })).toBe(true);
    expect(seasonalCorrelation([5, 5, 5, 5, 5, 5], 2)).toBe(0);
  });

  it("omits periods that do not fit three times", () => {
    expect(fittingPeriods("HOUR_1", 504)).toEqual({ season: 24, cycle: 168, isYearly: false });
    expect(fittingPeriods("HOUR_1", 503)).toEqual({ season: 24, cycle: null, isYearly: false });
    expect(fittingPeriods("MINUTE_1", 4_096)).toEqual({ season: null, cycle: null, isYearly: false });
  });
});
