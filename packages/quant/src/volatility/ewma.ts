/** The decay of RiskMetrics for daily returns (J.P. Morgan 1996). */
export const riskMetricsDecay = 0.94;

const initial = 20;

/**
 * The exponentially weighted variance of RiskMetrics: v_t = λ v_{t-1} + (1 - λ) r²_{t-1}, starting with the mean square
 * of the first 20 returns.
 *
 * @returns one value for each return, from the returns before it, and one more: the forecast for the next return
 */
export function ewmaVariance(returns: ArrayLike<number>, decay = riskMetricsDecay): Float64Array {
  const count = Math.min(initial, returns.length);
  const variance = new Float64Array(returns.length + 1);
  for (let t = 0; t < count; t++) variance[0]! += returns[t]! ** 2 / count;
  for (let t = 0; t < returns.length; t++) variance[t + 1] = decay * variance[t]! + (1 - decay) * returns[t]! ** 2;
  return variance;
}
