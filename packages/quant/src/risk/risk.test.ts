import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { christoffersen, dieboldMariano, kupiec } from "./backtests.ts";
import { trafficLight } from "./calibration.ts";
import { filteredHistoricalSimulation, standardiseReturns, type TailRisk } from "./filteredHistoricalSimulation.ts";
import { amihud, corwinSchultzSpread } from "./liquidity.ts";
import { classifyRegimes, drawdown, percentileRank, riskScore } from "./regime.ts";
import { computeValueAtRiskPath } from "./valueAtRiskPath.ts";

describe("value at risk", () => {
  it("takes the quantile of standardised returns times the volatility, in both tails", () => {
    const standardised = Array.from({ length: 99 }, (_, i) => (i - 49) / 10);
    const { downside, upside } = filteredHistoricalSimulation(standardised, 2, 0.95);
    // (99 + 1) 0.95: the 95th of 99 losses in ascending order, 4.5, and the mean of the losses from there on.
    expect(downside.valueAtRisk).toBeCloseTo(9, 12);
    expect(downside.expectedShortfall).toBeCloseTo(2 * 4.7, 12);
    expect(upside).toEqual(downside);
    expect([...standardiseReturns([0.1, -0.2], [0.1, 0.4])]).toEqual([1, -0.5]);
  });

  it("never has a 99% risk below the 95% one, a shortfall below its value at risk, or a negative one", () => {
    const returns = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(returns, fc.double({ min: 0.001, max: 10, noNaN: true }), (values, volatility) => {
        const at95 = filteredHistoricalSimulation(values, volatility, 0.95);
        const at99 = filteredHistoricalSimulation(values, volatility, 0.99);
        for (const tail of ["downside", "upside"] as const) {
          expect(at99[tail].valueAtRisk).toBeGreaterThanOrEqual(at95[tail].valueAtRisk);
          expect(at95[tail].expectedShortfall).toBeGreaterThanOrEqual(at95[tail].valueAtRisk);
          expect(at99[tail].expectedShortfall).toBeGreaterThanOrEqual(at99[tail].valueAtRisk);
          expect(at95[tail].valueAtRisk).toBeGreaterThanOrEqual(0);
        }
      }),
      { seed: 5 },
    );
  });

  it("forecasts each day from the residuals before it, from the 300th day on", () => {
    const returns = Float64Array.from({ length: 320 }, (_, t) => Math.sin(t * t) * 0.03);
    const variance = new Float64Array(321).fill(1e-4);
    const path = computeValueAtRiskPath(returns, variance);
    expect(path.map(({ day }) => day)).toEqual(Array.from({ length: 21 }, (_, i) => 300 + i));
    expect(path.at(-1)!.return).toBeNaN();
    const changed = returns.map((value, t) => (t >= 310 ? -0.5 : value));
    expect(computeValueAtRiskPath(changed, variance)[10]!.forecast).toEqual(path[10]!.forecast);
    expect(computeValueAtRiskPath(returns.subarray(0, 299), variance)).toEqual([]);
    expect(
      computeValueAtRiskPath(
        returns,
        variance.map(() => Number.NaN),
      ),
    ).toEqual([]);
  });
});

describe("adaptive levels", () => {
  const variance = 1e-4;
  const forecastAll = (returns: Float64Array) =>
    computeValueAtRiskPath(returns, new Float64Array(returns.length + 1).fill(variance));

  it("widen the bound after a breach and narrow it slightly after any other day", () => {
    const returns = Float64Array.from({ length: 304 }, (_, t) => Math.sin(t * t) * 0.01);
    returns[300] = -0.5;
    const tails = forecastAll(returns).map((day) => day.tails.downside);
    expect(tails[0]![0]).toBeCloseTo(0.05, 12);
    expect(tails[1]![0]).toBeCloseTo(0.05 - 0.01 * 0.95, 12);
    expect(tails[2]![0]).toBeCloseTo(tails[1]![0]! + 0.01 * 0.05, 12);
    expect(tails[1]![1]).toBeCloseTo(0.01 - 0.002 * 0.99, 12);
  });

  it("bring the share of breaches to its rate when volatility is forecast twice too high", () => {
    const returns = Float64Array.from({ length: 4_000 }, (_, t) => Math.sin(t * t) * 0.01 * (t < 300 ? 2 : 1));
    const days = forecastAll(returns).slice(0, -1);
    const share = days.filter((day) => day.return < -day.forecast.downside[0]!.valueAtRisk).length / days.length;
    expect(Math.abs(share - 0.05)).toBeLessThan(0.005);
  });

  it("never put a 99% bound inside of the 95% one, for any outcomes", () => {
    const outcome = fc.double({ min: -0.2, max: 0.2, noNaN: true });
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 40, maxLength: 80 }), (outcomes) => {
        const returns = Float64Array.from([...Array(300).keys()].map((t) => Math.sin(t * t) * 0.02).concat(outcomes));
        for (const { forecast } of forecastAll(returns)) {
          const [at95, at99] = forecast.downside as [TailRisk, TailRisk];
          expect(at99.valueAtRisk).toBeGreaterThanOrEqual(at95.valueAtRisk);
          for (const tail of [at95, at99]) expect(tail.expectedShortfall).toBeGreaterThanOrEqual(tail.valueAtRisk);
          expect(forecast.upside[1]!.valueAtRisk).toBeGreaterThanOrEqual(forecast.upside[0]!.valueAtRisk);
          const [at80, wide] = forecast.bands as [{ lower: number; upper: number }, { lower: number; upper: number }];
          expect([wide.lower <= at80.lower, wide.upper >= at80.upper]).toEqual([true, true]);
        }
      }),
      { seed: 7, numRuns: 30 },
    );
  });
});

describe("backtests", () => {
  /**
   * The range of counts that are not rejected at 5%: the table of 1995, which has no lower limit in the first row
   * below.
   */
  it.each([
    [0.01, 255, 1, 6],
    [0.01, 510, 2, 10],
    [0.01, 1_000, 5, 16],
    [0.05, 255, 7, 20],
    [0.05, 510, 17, 35],
    [0.05, 1_000, 38, 64],
  ])("does not reject rate %s over %i days between %i and %i breaches (Kupiec 1995)", (rate, days, low, high) => {
    const accepted = Array.from({ length: days + 1 }, (_, count) => count).filter((count) => {
      return kupiec(count, days, rate).pValue > 0.05;
    });
    expect([accepted[0], accepted.at(-1)]).toEqual([low, high]);
    expect(() => kupiec(days + 1, days, rate)).toThrow(RangeError);
  });

  it("rejects breaches that follow each other, and accepts scattered ones (Christoffersen 1998)", () => {
    const clustered = Array.from({ length: 250 }, (_, t) => t >= 100 && t < 112);
    const scattered = Array.from({ length: 250 }, (_, t) => t % 21 === 0);
    expect(christoffersen(clustered, 0.05).independence.pValue).toBeLessThan(1e-6);
    expect(christoffersen(scattered, 0.05).independence.pValue).toBeGreaterThan(0.2);
    const { independence, conditionalCoverage } = christoffersen(clustered, 0.05);
    const coverage = kupiec(12, 250, 0.05);
    expect(conditionalCoverage.statistic).toBeCloseTo(independence.statistic + coverage.statistic, 12);
    expect(christoffersen(new Array<boolean>(250).fill(false), 0.01).independence.pValue).toBe(1);
  });

  it("is green to 4, yellow to 9 and red from 10 breaches of 250 days (Basel 1996)", () => {
    const zones = Array.from({ length: 12 }, (_, breaches) => trafficLight(breaches).zone);
    expect(zones).toEqual([...Array(5).fill("green"), ...Array(5).fill("yellow"), "red", "red"]);
    expect(trafficLight(4).cumulative).toBeCloseTo(0.892, 3);
    expect(trafficLight(10).cumulative).toBeCloseTo(0.99995, 5);
  });

  it("prefers the forecast with smaller losses (Diebold & Mariano 1995)", () => {
    const first = Array.from({ length: 200 }, (_, t) => 1 + Math.sin(t * t));
    const worse = first.map((loss, t) => loss + 0.2 + 0.3 * Math.cos(3 * t * t));
    expect(dieboldMariano(first, worse).statistic).toBeLessThan(-5);
    expect(dieboldMariano(first, worse).pValue).toBeLessThan(1e-6);
    expect(dieboldMariano(first, first)).toEqual({ statistic: 0, pValue: 1 });
  });
});

describe("regime and liquidity", () => {
  it("leaves a regime only after six hours beyond its border", () => {
    const percentiles = [0.5, 0.5, ...Array(5).fill(0.8), 0.5, ...Array(6).fill(0.8), 0.99, 0.8, ...Array(6).fill(0.1)];
    const labels = classifyRegimes(percentiles).map(({ label }) => label);
    expect(labels.slice(0, 13)).toEqual(new Array(13).fill("normal"));
    expect(labels.slice(13, 21)).toEqual(new Array(8).fill("elevated"));
    expect(labels.at(-1)).toBe("calm");
    expect(classifyRegimes(percentiles)[15]!.since).toBe(13);
    expect(classifyRegimes([])).toEqual([]);
  });

  it("ranks values within others, and sums the score to 100", () => {
    expect(percentileRank([1, 2, 3, 4], 3)).toBe(0.625);
    expect(percentileRank([], 3)).toBe(0.5);
    expect(riskScore({ volatility: 1, drawdown: 1, breaches: 1 })).toBe(100);
    expect(riskScore({ volatility: 0.5, drawdown: 0, breaches: 1 })).toBe(50);
  });

  it("measures drawdowns from the running maximum", () => {
    expect(drawdown([100, 120, 60, 90])).toEqual({ current: -0.25, maximum: -0.5 });
    expect(drawdown([1, 2, 3])).toEqual({ current: 0, maximum: 0 });
  });

  it("averages moves by traded value (Amihud 2002)", () => {
    expect(amihud([0.01, -0.02, 0.5], [100, 100, 0])).toBeCloseTo(0.00015, 12);
    expect(amihud([0.1], [0])).toBeNaN();
  });

  it("recovers the spread of bars whose range is only the spread (Corwin & Schultz 2012)", () => {
    const spread = 0.01;
    const high = 100 * (1 + spread / 2);
    const low = 100 * (1 - spread / 2);
    const bars = Array.from({ length: 10 }, (_, t) => ({ high, low, close: t % 2 ? high : low }));
    expect(corwinSchultzSpread(bars)).toBeCloseTo(spread, 6);
    expect(corwinSchultzSpread(bars.slice(0, 1))).toBeNaN();
  });
});
