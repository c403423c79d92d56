type Range = { high: number; low: number; close: number };

/**
 * The illiquidity of Amihud (2002): mean of |return| / traded value, the return that one unit of value moves.
 *
 * @param values traded in quote, one for each return; periods without trade are omitted
 * @returns NaN when nothing was traded
 */
export function amihud(returns: ArrayLike<number>, values: ArrayLike<number>): number {
  let sum = 0;
  let count = 0;
  for (let t = 0; t < returns.length; t++) {
    if (!(values[t]! > 0)) continue;
    sum += Math.abs(returns[t]!) / values[t]!;
    count++;
  }
  return count > 0 ? sum / count : Number.NaN;
}

/**
 * The spread of bid and ask as a fraction of the price, from highs and lows of pairs of bars (Corwin & Schultz 2012,
 * JF 67(2)): gaps between bars are removed, and negative estimates of a pair count as 0, as in the paper.
 *
 * @returns the mean over all pairs; NaN for fewer than two bars
 */
export function corwinSchultzSpread(bars: readonly Range[]): number {
  const denominator = 3 - 2 * Math.SQRT2;
  let sum = 0;
  for (let t = 1; t < bars.length; t++) {
    const before = bars[t - 1]!;
    const bar = bars[t]!;
    // A gap from the last close is not part of the range.
    const gap = Math.max(0, bar.low - before.close) + Math.min(0, bar.high - before.close);
    const high = bar.high - gap;
    const low = bar.low - gap;
    const beta = Math.log(before.high / before.low) ** 2 + Math.log(high / low) ** 2;
    const gamma = Math.log(Math.max(before.high, high) / Math.min(before.low, low)) ** 2;
    const alpha = (Math.sqrt(2 * beta) - Math.sqrt(beta)) / denominator - Math.sqrt(gamma / denominator);
    const power = Math.exp(alpha);
    sum += Math.max(0, (2 * (power - 1)) / (1 + power));
  }
  return bars.length > 1 ? sum / (bars.length - 1) : Number.NaN;
}
