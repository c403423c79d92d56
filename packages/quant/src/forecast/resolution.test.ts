import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forecastLine } from "./forecastLine.ts";
import { forecastWithCovariates } from "./forecastWithCovariates.ts";
import { findDecimals, getResolution, roundToDecimals } from "./resolution.ts";

describe("the resolution of a series", () => {
  it("is the smallest number of decimals that all values have", () => {
    expect(findDecimals([3, -12, 0])).toBe(0);
    expect(findDecimals([0.1, 1.1, 2.3])).toBe(1);
    expect(findDecimals([3, 2.25])).toBe(2);
    expect(getResolution([0.1, 1.25])).toBeCloseTo(0.01, 15);
  });

  it("is unknown for values with many digits", () => {
    expect(findDecimals([1, Math.PI])).toBeNull();
    expect(findDecimals([1, 2e9])).toBeNull();
    expect(findDecimals([1e-9, 3])).toBeNull();
    expect(findDecimals([0.1 + 0.2])).toBeNull();
    expect(getResolution([1 / 3])).toBe(0);
  });

  it("is exact for every number with up to six decimals", () => {
    const cases = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(cases, ([multiple, decimals]) => {
        const value = Number(`${multiple}e-${decimals}`);
        expect(findDecimals([value])).toBeLessThanOrEqual(decimals);
        expect(roundToDecimals(value, decimals)).toBe(value);
        expect(roundToDecimals(value + 0.4 * 10 ** -decimals, decimals)).toBe(value);
      }),
    );
  });

  it("leaves numbers that have no decimals, and has no negative zero", () => {
    expect(roundToDecimals(1e300, 3)).toBe(1e300);
    expect(Object.is(roundToDecimals(-0.2, 0), 0)).toBe(true);
  });
});

describe("forecasts of a series with a resolution", () => {
  const getTenths = (length: number) =>
    Array.from({ length }, (_, t) => Math.round(150 + 80 * Math.sin((Math.PI * t) / 12) + 4 * Math.sin(t * t)) / 10);

  it("are multiples of it, in order, and the mean is not rounded", () => {
    const { forecast, mean, quantiles } = forecastLine(getTenths(400), 48, "HOUR_1");
    const paths = Object.values(quantiles);
    for (const path of paths) for (const value of path) expect(value).toBe(Number(value.toFixed(1)));
    for (const [k, path] of paths.entries())
      for (const [h, value] of path.entries()) if (k > 0) expect(value).toBeGreaterThanOrEqual(paths[k - 1]![h]!);
    expect(quantiles["0.5"]).toEqual(forecast);
    expect(mean.some((value) => value !== Number(value.toFixed(1)))).toBe(true);
  });

  it("are multiples of it with covariates", () => {
    const events = Array.from({ length: 424 }, (_, t) => (t % 37 === 5 ? 1 : 0));
    const series = getTenths(400).map((value, t) => Math.round(10 * (value + 9 * events[t]!)) / 10);
    const { covariates, forecast } = forecastWithCovariates(series, 24, "HOUR_1", [events]);
    expect(covariates.used).toBe(true);
    for (const value of forecast) expect(value).toBe(Number(value.toFixed(1)));
  });
});
