import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededUniform } from "../signals/seededUniform.ts";
import { forecastLine } from "./forecastLine.ts";
import { forecastWithCovariates } from "./forecastWithCovariates.ts";

const horizon = 24;
const uniform = seededUniform(7);
const noise = Array.from({ length: 1_000 }, () => uniform() + uniform() + uniform() - 1.5);

/** Hours with a daily season, noise, and 40 more at each event. */
const createSeries = (length: number, events: readonly number[]) =>
  Array.from({ length }, (_, t) => 100 + 30 * Math.sin((2 * Math.PI * t) / 24) + 4 * noise[t]! + 40 * events[t]!);

/** About one hour in twelve is an event, at no fixed hour of the day. */
const events = Array.from({ length: 400 + horizon }, (_, t) => ((t * t) % 13 === 1 ? 1 : 0));

describe("forecastWithCovariates", () => {
  it("adds the effect of future events, and halves the error of a forecast without them", () => {
    const whole = createSeries(400 + horizon, events);
    const series = whole.slice(0, 400);
    const answer = forecastWithCovariates(series, horizon, "HOUR_1", [events]);
    expect(answer.covariates.used).toBe(true);
    expect(answer.covariates.relativeError).toBeLessThan(0.7);
    const error = (forecast: readonly number[]) =>
      forecast.reduce((sum, value, h) => sum + Math.abs(value - whole[400 + h]!), 0);
    expect(error(answer.forecast)).toBeLessThan(0.5 * error(forecastLine(series, horizon, "HOUR_1").forecast));
  });

  it("ignores a covariate without effect: the forecast is the same", () => {
    const series = createSeries(400, Array(400).fill(0));
    const { covariates, ...line } = forecastWithCovariates(series, horizon, "HOUR_1", [noise.slice(500, 924)]);
    expect(covariates).toEqual({ used: false, relativeError: null });
    expect(line).toEqual(forecastLine(series, horizon, "HOUR_1"));
  });

  it("stays finite, ordered and not negative for any covariates", () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, 1, 1.7e308, -1.7e308),
    );
    const covariate = fc.array(value, { minLength: 60 + 6, maxLength: 60 + 6 });
    const series = createSeries(60, events).map((each) => Math.max(0, each - 80));
    fc.assert(
      fc.property(fc.array(covariate, { minLength: 1, maxLength: 4 }), (covariates) => {
        const { quantiles } = forecastWithCovariates(series, 6, "HOUR_4", covariates);
        const paths = ["0.025", "0.1", "0.25", "0.5", "0.75", "0.9", "0.975"].map((name) => quantiles[name]!);
        for (let h = 0; h < 6; h++)
          for (const [k, path] of paths.entries())
            if (!Number.isFinite(path[h]) || path[h]! < (k === 0 ? 0 : paths[k - 1]![h]!)) return false;
        return true;
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it("refuses covariates of another length", () => {
    expect(() => forecastWithCovariates(createSeries(60, events), 6, "HOUR_1", [[1, 2]])).toThrow(RangeError);
  });
});
