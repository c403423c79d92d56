import { expect, test } from "vitest";
import { forecastLine } from "./forecastLine.ts";
import { fittingPeriods } from "./periods.ts";
import { scaleUnusualDays } from "./unusualDays.ts";

const periods = fittingPeriods("HOUR_1", 960);
/** Visits of 40 days, with a day, a week and small differences between weeks. */
const visits = Array.from({ length: 960 }, (_, hour) => {
  const day = Math.floor(hour / 24);
  return Math.round(1_000 + 300 * Math.sin((2 * Math.PI * hour) / 24) - (day % 7 > 4 ? 400 : 0) + ((day * 37) % 23));
});
/** The visits with the days from `first` to `last` multiplied, counted from the end. */
const withDays = (factor: number, first: number, last = first) =>
  visits.map((value, hour) => {
    const fromEnd = 40 - Math.floor(hour / 24);
    return fromEnd <= first && fromEnd >= last ? Math.round(value * factor) : value;
  });
const totalOf = (series: readonly number[], fromEnd: number) =>
  series.slice(960 - 24 * fromEnd, 960 - 24 * (fromEnd - 1)).reduce((sum, value) => sum + value, 0);

test.each([0.5, 1.6])(
  "a last day with %d of its visits has about its usual total, and no other day changes",
  (factor) => {
    const scaled = scaleUnusualDays(withDays(factor, 1), periods);
    expect(totalOf(scaled, 1) / totalOf(visits, 1)).toBeCloseTo(1, 1);
    expect(scaled.slice(0, -24)).toEqual(visits.slice(0, -24));
  },
);

test("of several unusual days in a row only the first is scaled: they can be a new level", () => {
  const series = withDays(0.5, 4, 1);
  const scaled = scaleUnusualDays(series, periods);
  expect(totalOf(scaled, 4) / totalOf(visits, 4)).toBeCloseTo(1, 1);
  expect(scaled.slice(-72)).toEqual(series.slice(-72));
});

test("later values do not change how a day is scaled", () => {
  const series = withDays(0.5, 3);
  expect(scaleUnusualDays(series, periods).slice(0, -48)).toEqual(scaleUnusualDays(series.slice(0, -48), periods));
});

test.each<[string, number[], typeof periods]>([
  ["usual days", visits, periods],
  ["a day with a fifth less", withDays(0.8, 1), periods],
  ["a day without visits", withDays(0, 1), periods],
  ["a day with a tenth of its visits", withDays(0.1, 1), periods],
  ["values below 0", withDays(0.5, 1).map((value, hour) => (hour % 24 === 3 ? -value : value)), periods],
  ["a period without a week", withDays(0.5, 1), fittingPeriods("HOUR_12", 960)],
])("%s: the same series", (_, series, fitting) => {
  expect(scaleUnusualDays(series, fitting)).toBe(series);
});

test("the forecast after a holiday is about the forecast without it", () => {
  const [usual, after] = [visits, withDays(0.5, 1)].map((series) => forecastLine(series, 48, "HOUR_1").forecast);
  const distance = usual!.reduce((sum, value, h) => sum + Math.abs(value - after![h]!), 0);
  expect(distance / usual!.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.03);
});
