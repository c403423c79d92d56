import { describe, expect, it } from "vitest";
import { binomialCdf, chiSquareSurvival, logGamma, normalCdf, normalQuantile } from "./distributions.ts";
import { minimise } from "./nelderMead.ts";
import { quantile } from "./quantile.ts";

describe("distributions", () => {
  it("computes the normal distribution and its quantiles to 12 digits, tails included", () => {
    expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 14);
    expect(normalCdf(-6) / 9.865876450376946e-10).toBeCloseTo(1, 12);
    for (const probability of [1e-10, 0.01, 0.3, 0.5, 0.975])
      expect(normalCdf(normalQuantile(probability)) / probability).toBeCloseTo(1, 11);
    expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("computes log-gamma, chi-square and binomial probabilities", () => {
    expect(logGamma(10)).toBeCloseTo(Math.log(362_880), 12);
    expect(logGamma(0.5)).toBeCloseTo(0.5 * Math.log(Math.PI), 12);
    expect(chiSquareSurvival(3.841458820694124, 1)).toBeCloseTo(0.05, 12);
    expect(chiSquareSurvival(5.991464547107979, 2)).toBeCloseTo(0.05, 12);
    expect(binomialCdf(2, 4, 0.5)).toBeCloseTo(11 / 16, 12);
  });

  it("interpolates quantiles between order statistics", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("minimises Rosenbrock's function without derivatives", () => {
    const rosenbrock = ([x, y]: readonly number[]) => (1 - x!) ** 2 + 100 * (y! - x! ** 2) ** 2;
    const found = minimise(rosenbrock, [-1.2, 1], [0.5, 0.5], { tolerance: 1e-14 });
    expect(found.converged).toBe(true);
    for (const value of found.point) expect(value).toBeCloseTo(1, 5);
  });
});
