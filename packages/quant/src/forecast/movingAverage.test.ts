import { describe, expect, it } from "vitest";
import { forecastLine } from "./forecastLine.ts";
import { forecastMovingAverage, isMovingAverage } from "./movingAverage.ts";

const days = 44;
const shape = (hour: number) => 20 - 6 * Math.cos((2 * Math.PI * hour) / 24);

/** Normal noise by day, with an autocorrelation of 0.4. */
function createAnomalies(count: number, seed: number): number[] {
  let state = seed;
  const draw = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  let value = 0;
  return Array.from({ length: count }, () => {
    value = 0.4 * value + 3 * Math.sqrt(-2 * Math.log(draw())) * Math.cos(2 * Math.PI * draw());
    return value;
  });
}

/** Hours whose values are averages over 15 days, with tenths, as climate normals. */
function createAverages(seed: number): number[] {
  const anomalies = createAnomalies(days + 16, seed);
  return Array.from({ length: 24 * days }, (_, hour) => {
    const day = Math.floor(hour / 24);
    const next = (hour % 24) / 24;
    let mean = 0;
    for (let k = day; k < day + 15; k++) mean += ((1 - next) * anomalies[k]! + next * anomalies[k + 1]!) / 15;
    return Math.round(10 * (shape(hour) + mean)) / 10;
  });
}
const averages = createAverages(11);

/** The sum of the absolute errors of a forecast of the values from `from` on. */
const sumErrors = (forecast: ArrayLike<number>, actual: readonly number[], from: number) => {
  let sum = 0;
  for (let h = 0; h < forecast.length; h++) sum += Math.abs(forecast[h]! - actual[from + h]!);
  return sum;
};

describe("averages over 15 days", () => {
  it("are recognised by changes that reverse, other series are not", () => {
    expect(isMovingAverage(Float64Array.from(averages), 24)).toBe(true);
    expect(isMovingAverage(Float64Array.from(averages.slice(0, 24 * 19)), 24)).toBe(false);
    expect(
      isMovingAverage(
        Float64Array.from(averages, () => 5),
        24,
      ),
    ).toBe(false);
    const noise = createAnomalies(days, 11);
    const independent = Float64Array.from(averages, (_, hour) => shape(hour) + noise[Math.floor(hour / 24)]!);
    expect(isMovingAverage(independent, 24)).toBe(false);
  });

  it("are forecast with less error than by the last day", () => {
    let [own, repeated] = [0, 0];
    for (const seed of [11, 12, 13, 14, 15, 16]) {
      const series = createAverages(seed);
      for (let end = 24 * 32; end <= 24 * (days - 2); end += 48) {
        const forecast = forecastMovingAverage(
          Float64Array.from(series.slice(0, end)),
          { day: 24, persistence: 0 },
          48,
        );
        const last = series.slice(end - 24, end);
        own += sumErrors(forecast, series, end);
        repeated += sumErrors([...last, ...last], series, end);
      }
    }
    expect(own).toBeLessThan(0.85 * repeated);
  });

  it("continue a slope, for more days than are known too", () => {
    const slope = Float64Array.from({ length: 24 * 20 }, (_, hour) => shape(hour) + hour / 24);
    const forecast = forecastMovingAverage(slope, { day: 24, persistence: 0 }, 24 * 25);
    for (const h of [0, 30, 24 * 25 - 1]) expect(forecast[h]).toBeCloseTo(shape(h) + (24 * 20 + h) / 24, 0);
  });

  it("have both models as members", () => {
    const names = forecastLine(averages, 48, "HOUR_1").model.members.map(({ name }) => name);
    expect(names).toContain("moving_average_0");
    expect(names).toContain("moving_average_0.4");
  });
});
