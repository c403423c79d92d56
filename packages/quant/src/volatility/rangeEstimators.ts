/** Open, high, low and close of one bar; positive. */
export type Bar = { open: number; high: number; low: number; close: number };

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function variance(values: readonly number[]): number {
  const center = mean(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}

/**
 * The volatility of a bar from its range: mean ln(H/L)² / (4 ln 2) (Parkinson 1980). Without drift and jumps five times
 * as efficient as closes.
 *
 * @returns the standard deviation of a bar's log return; NaN without bars
 */
export function parkinson(bars: readonly Bar[]): number {
  return Math.sqrt(mean(bars.map(({ high, low }) => Math.log(high / low) ** 2)) / (4 * Math.LN2));
}

/** The volatility of a bar from all of its prices: mean of ln(H/L)²/2 - (2 ln 2 - 1) ln(C/O)² (Garman & Klass 1980). */
export function garmanKlass(bars: readonly Bar[]): number {
  const terms = bars.map(({ open, high, low, close }) => {
    return Math.log(high / low) ** 2 / 2 - (2 * Math.LN2 - 1) * Math.log(close / open) ** 2;
  });
  return Math.sqrt(Math.max(0, mean(terms)));
}

/**
 * The volatility of a bar independent of drift and opening jumps (Yang & Zhang 2000): the variance of opening jumps,
 * plus k times the variance of open-to-close returns, plus (1 - k) times the variance of Rogers & Satchell.
 *
 * @returns NaN for fewer than three bars: the first one gives the close before the first jump
 */
export function yangZhang(bars: readonly Bar[]): number {
  if (bars.length < 3) return Number.NaN;
  const rest = bars.slice(1);
  const count = rest.length;
  const jumps = rest.map(({ open }, i) => Math.log(open / bars[i]!.close));
  const sessions = rest.map(({ open, close }) => Math.log(close / open));
  const rogersSatchell = rest.map(({ open, high, low, close }) => {
    return Math.log(high / close) * Math.log(high / open) + Math.log(low / close) * Math.log(low / open);
  });
  const k = 0.34 / (1.34 + (count + 1) / (count - 1));
  return Math.sqrt(variance(jumps) + k * variance(sessions) + (1 - k) * mean(rogersSatchell));
}
