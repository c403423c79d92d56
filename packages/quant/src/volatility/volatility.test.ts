import { describe, expect, it } from "vitest";
import { toDays } from "./dailyVariances.ts";
import { ewmaVariance } from "./ewma.ts";
import { fitGarch, type GarchParameters, garchDeviations, garchLogLikelihood, garchVariance } from "./garch.ts";
import { fitHar, forecastHar } from "./har.ts";
import { garmanKlass, parkinson, yangZhang } from "./rangeEstimators.ts";
import { computeVolatilityPath } from "./volatilityPath.ts";

/** Normal numbers of a fixed generator. */
function createNormal(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function simulateGarch(count: number, { mu, omega, alpha, beta }: GarchParameters): Float64Array {
  const normal = createNormal(7);
  let variance = omega / (1 - alpha - beta);
  return Float64Array.from({ length: count }, () => {
    const shock = Math.sqrt(variance) * normal();
    variance = omega + alpha * shock ** 2 + beta * variance;
    return mu + shock;
  });
}

/** Hourly bars of a walk whose volatility changes from day to day. */
function createBars(days: number) {
  const normal = createNormal(11);
  const bars = { time: [] as number[], high: [] as number[], low: [] as number[], close: [] as number[] };
  let [price, log] = [100, 0];
  for (let t = 0; t < days * 24; t++) {
    if (t % 24 === 0) log = 0.9 * log + 0.3 * normal();
    const next = price * Math.exp(0.005 * Math.exp(log) * normal());
    bars.time.push(t * 3_600);
    bars.high.push(Math.max(price, next) * 1.001);
    bars.low.push(Math.min(price, next) * 0.999);
    bars.close.push(next);
    price = next;
  }
  return bars;
}

describe("volatility", () => {
  it("decays squared returns by 0.94 from the mean of the first ones (RiskMetrics)", () => {
    const variance = ewmaVariance([0.1, -0.2, 0]);
    const start = (0.01 + 0.04) / 3;
    expect(variance[0]).toBeCloseTo(start, 15);
    expect(variance[1]).toBeCloseTo(0.94 * start + 0.06 * 0.01, 15);
    expect(variance).toHaveLength(4);
  });

  it("estimates the volatility of bars from their ranges", () => {
    const bar = { open: 100, high: 110, low: 95, close: 105 };
    expect(parkinson([bar])).toBeCloseTo(Math.log(110 / 95) / Math.sqrt(4 * Math.LN2), 14);
    const inner = Math.log(110 / 95) ** 2 / 2 - (2 * Math.LN2 - 1) * Math.log(1.05) ** 2;
    expect(garmanKlass([bar])).toBeCloseTo(Math.sqrt(inner), 14);
    // Without jumps and with equal sessions only the Rogers-Satchell part is not 0.
    const session = { open: 100, high: 102, low: 99, close: 100 };
    const rogersSatchell = Math.log(1.02) ** 2 + Math.log(0.99) ** 2;
    const k = 0.34 / (1.34 + 4 / 2);
    expect(yangZhang([session, session, session, session])).toBeCloseTo(Math.sqrt((1 - k) * rogersSatchell), 12);
    expect(yangZhang([bar, bar])).toBeNaN();
  });

  it("recovers the parameters of a simulated GARCH process, at no lower likelihood than the true ones", () => {
    const truth: GarchParameters = { mu: 0.02, omega: 0.05, alpha: 0.12, beta: 0.8, degrees: Infinity };
    const returns = simulateGarch(4_000, truth);
    const fit = fitGarch(returns, { isStudent: false })!;
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.alpha - truth.alpha)).toBeLessThan(0.03);
    expect(Math.abs(fit.beta - truth.beta)).toBeLessThan(0.06);
    expect(fit.logLikelihood).toBeGreaterThan(garchLogLikelihood(returns, truth));
    const student = fitGarch(returns, { isStudent: true })!;
    expect(student.degrees).toBeGreaterThan(15);
    expect(student.logLikelihood).toBeGreaterThan(fit.logLikelihood - 0.5);
  });

  it("computes the same likelihood for any unit of its products", () => {
    const parameters: GarchParameters = { mu: 0, omega: 0.05, alpha: 0.1, beta: 0.8, degrees: 5 };
    const returns = simulateGarch(501, parameters);
    const expected = garchLogLikelihood(returns, parameters);
    for (const unit of [0.01, 3]) expect(garchLogLikelihood(returns, parameters, unit)).toBeCloseTo(expected, 8);
  });

  it("returns no fit for too few or for equal returns", () => {
    expect(fitGarch(new Float64Array(99).fill(0.01), { isStudent: false })).toBeNull();
    expect(fitGarch(new Float64Array(200).fill(0.01), { isStudent: true })).toBeNull();
  });

  it("forecasts deviations that approach the unconditional deviation", () => {
    const parameters: GarchParameters = { mu: 0, omega: 0.1, alpha: 0.1, beta: 0.8, degrees: Infinity };
    const deviations = garchDeviations(4, parameters, 200);
    expect(deviations.slice(0, 2)).toEqual([2, Math.sqrt(0.1 + 0.9 * 4)]);
    expect(deviations.at(-1)).toBeCloseTo(1, 6);
    expect(garchVariance([1, -1], parameters)[2]).toBeCloseTo(0.1 + 0.1 + 0.8 * (0.1 + 0.1 + 0.8), 12);
  });

  it("recovers an autoregression of log variances", () => {
    const normal = createNormal(3);
    const variances = [1];
    for (let t = 1; t < 3_000; t++) variances.push(Math.exp(0.7 * Math.log(variances[t - 1]!) + 0.3 * normal()));
    const all = { realised: variances, range: variances, halfDay: variances };
    const fit = fitHar(all, variances.length)!;
    expect(fit.residualVariance).toBeCloseTo(0.09, 1);
    const expected = Math.exp(0.7 * Math.log(variances[2_000]!) + 0.045);
    expect(forecastHar(fit, all, 2_000) / expected).toBeGreaterThan(0.85);
    expect(forecastHar(fit, all, 2_000) / expected).toBeLessThan(1.15);
    expect(fitHar(all, 59)).toBeNull();
    expect(forecastHar(fit, all, 28)).toBeNaN();
  });

  it("splits days at an hour, omits returns across gaps and scales up for missing hours", () => {
    const bars = createBars(4);
    const days = toDays(bars, 23 * 3_600);
    expect(days.end).toEqual([2, 3, 4].map((each) => (each * 24 - 1) * 3_600));
    expect(days.returns[0]).toBeCloseTo(Math.log(bars.close[46]! / bars.close[22]!), 12);
    const kept = bars.time.map((_, t) => t).filter((t) => t !== 30 && t !== 31);
    const select = (values: number[]) => kept.map((t) => values[t]!);
    const { time, high, low, close } = bars;
    const gap = toDays({ time: select(time), high: select(high), low: select(low), close: select(close) }, 23 * 3_600);
    let squares = 0;
    for (let t = 23; t <= 46; t++) if (t < 30 || t > 32) squares += Math.log(bars.close[t]! / bars.close[t - 1]!) ** 2;
    expect(gap.realised[0]).toBeCloseTo((squares * 24) / 21, 12);
    expect(gap.returns[0]).toBe(days.returns[0]);
    expect(() => toDays(bars, 1_800)).toThrow(RangeError);
  });

  it("forecasts each day from the days before it only", () => {
    const bars = createBars(220);
    const path = computeVolatilityPath(toDays(bars, 0));
    const cut = (values: number[]) => values.slice(0, 180 * 24);
    const { time, high, low, close } = bars;
    const earlier = { time: cut(time), high: cut(high), low: cut(low), close: cut(close) };
    const prefix = computeVolatilityPath(toDays(earlier, 0));
    for (const name of ["ewma", "har", "garch", "combined"] as const)
      expect([...prefix[name]]).toEqual([...path[name].subarray(0, prefix[name].length)]);
    expect(path.combined.at(-1)).toBeGreaterThan(0);
    expect(Number.isNaN(path.combined[29])).toBe(true);
  });
});
