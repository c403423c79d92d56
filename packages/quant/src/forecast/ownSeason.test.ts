import { describe, expect, it } from "vitest";
import { forecastLine } from "./forecastLine.ts";
import { findOwnSeason } from "./ownSeason.ts";
import { findSeason } from "./seasonalForecast.ts";

/** Temperatures of a day that grow slowly, with tenths. */
const at = (hour: number) => Math.round(10 * (20 - 6 * Math.cos((2 * Math.PI * hour) / 24) + hour / 400)) / 10;
/** The values of hours from 0 on; from day `from` on, the source omits hour 3 of each day. */
function omitHour(days: number, from: number): number[] {
  return Array.from({ length: 24 * days }, (_, hour) => hour)
    .filter((hour) => hour < 24 * from || hour % 24 !== 3)
    .map(at);
}

describe("a season of its own", () => {
  it("is found with its begin when a source omits an hour of each day", () => {
    const own = findOwnSeason(omitHour(40, 30), 24)!;
    expect(own.season).toBe(23);
    expect(Math.abs(own.start - 24 * 30)).toBeLessThanOrEqual(23);
    expect(findSeason(omitHour(40, 0), "HOUR_1")).toMatchObject({
      periods: { season: 23, cycle: 161 },
      isCandidate: true,
    });
  });

  it("is not found in complete days, random walks, trends and series of fewer than two days", () => {
    expect(findOwnSeason(omitHour(40, 40), 24)).toBeNull();
    expect(findOwnSeason(omitHour(2, 0).slice(0, 45), 24)).toBeNull();
    expect(
      findOwnSeason(
        Array.from({ length: 200 }, (_, t) => t),
        24,
      ),
    ).toBeNull();
    let state = 7;
    let price = 100;
    const walk = Array.from({ length: 3_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      price *= 1 + (state / 2_147_483_647 - 0.5) / 50;
      return price;
    });
    for (let end = 60; end <= walk.length; end += 7) expect(findOwnSeason(walk.slice(end - 60, end), 24)).toBeNull();
  });

  it("is the season of the forecast, from the values since its begin", () => {
    const series = omitHour(40, 32);
    const future = omitHour(44, 32).slice(series.length, series.length + 46);
    const { forecast, model, diagnostics } = forecastLine(series, 46, "HOUR_1");
    expect(model.name).toBe("ensemble");
    expect(model.seasonalPeriods[0]).toBe(23);
    expect(diagnostics.observations).toBe(series.length);
    expect(diagnostics.used).toBeLessThanOrEqual(9 * 23);
    for (const [h, value] of forecast.entries()) expect(Math.abs(value - future[h]!)).toBeLessThan(0.5);
  });
});
