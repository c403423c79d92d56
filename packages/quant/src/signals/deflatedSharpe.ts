import { normalCdf, normalQuantile } from "../numeric/distributions.ts";

const eulerGamma = 0.5772156649015329;

/** The expected largest Sharpe ratio of `trials` strategies without skill whose ratios have this variance. */
export function expectedMaximumSharpe(trials: number, variance: number): number {
  if (trials < 2) return 0;
  const first = normalQuantile(1 - 1 / trials);
  const second = normalQuantile(1 - 1 / (trials * Math.E));
  return Math.sqrt(variance) * ((1 - eulerGamma) * first + eulerGamma * second);
}

/** Sharpe ratio per period, its number of returns, and their skewness and kurtosis (3 for the normal law). */
export type SharpeEstimate = { sharpe: number; observations: number; skewness: number; kurtosis: number };

/** The probability that the true Sharpe ratio is above a benchmark, all per period (Bailey & López de Prado 2012). */
export function probabilisticSharpe(estimate: SharpeEstimate, benchmark: number): number {
  const { sharpe, observations, skewness, kurtosis } = estimate;
  const spread = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  return normalCdf(((sharpe - benchmark) * Math.sqrt(observations - 1)) / Math.sqrt(Math.max(spread, 1e-12)));
}

/**
 * The deflated Sharpe ratio (Bailey & López de Prado 2014): the probability that the true ratio is above the expected
 * maximum of as many trials without skill.
 *
 * @param variance of the trials' Sharpe ratios per period
 */
export function deflatedSharpe(estimate: SharpeEstimate, trials: number, variance: number): number {
  return probabilisticSharpe(estimate, expectedMaximumSharpe(trials, variance));
}

/** Sharpe ratio, skewness and kurtosis of returns; ratio 0 for constant returns. */
export function estimateSharpe(returns: readonly number[]): SharpeEstimate {
  const n = returns.length;
  const mean = returns.reduce((sum, value) => sum + value, 0) / n;
  const moment = (power: number) => returns.reduce((sum, value) => sum + (value - mean) ** power, 0) / n;
  const variance = moment(2);
  if (!(variance > 0)) return { sharpe: 0, observations: n, skewness: 0, kurtosis: 3 };
  return {
    sharpe: mean / Math.sqrt((variance * n) / (n - 1)),
    observations: n,
    skewness: moment(3) / variance ** 1.5,
    kurtosis: moment(4) / variance ** 2,
  };
}
