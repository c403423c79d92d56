export type Regime = "calm" | "normal" | "elevated" | "stress";

const regimes: readonly Regime[] = ["calm", "normal", "elevated", "stress"];
/** The percentiles of a year's volatility at which the regimes above the first begin. */
const borders = [0.25, 0.75, 0.95] as const;
/** The hours beyond a border after which the regime changes. */
const hysteresisHours = 6;

/** The share of values below `value`, ties counted by half; 0.5 for an empty list. */
export function percentileRank(values: ArrayLike<number>, value: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i++) below += values[i]! < value ? 1 : values[i] === value ? 0.5 : 0;
  return values.length === 0 ? 0.5 : below / values.length;
}

const levelAt = (percentile: number) => borders.filter((border) => percentile >= border).length;

/**
 * The regime of each hour from the percentile of its volatility in its own year. A regime changes only after six
 * consecutive hours on the other side of its border, so that it does not flicker.
 *
 * @param percentiles by hour, 0..1
 * @returns labels, and for each the index at which its regime began
 */
export function classifyRegimes(percentiles: ArrayLike<number>): { label: Regime; since: number }[] {
  const result: { label: Regime; since: number }[] = [];
  let current = levelAt(percentiles[0] ?? 0.5);
  let since = 0;
  let beyond: number[] = [];
  for (let t = 0; t < percentiles.length; t++) {
    const level = levelAt(percentiles[t]!);
    const isSameSide = beyond.length > 0 && Math.sign(level - current) === Math.sign(beyond[0]! - current);
    if (level === current) beyond = [];
    else beyond = isSameSide ? [...beyond, level] : [level];
    if (beyond.length >= hysteresisHours) {
      // The border that all of these hours exceed.
      const sign = Math.sign(level - current);
      current = sign > 0 ? Math.min(...beyond) : Math.max(...beyond);
      since = t;
      beyond = [];
    }
    result.push({ label: regimes[current]!, since });
  }
  return result;
}

/**
 * The risk score 0..100: 50 points by the percentile of volatility, 25 by the percentile of the drawdown, 25 by the
 * percentile of the frequency of breaches; percentiles 0..1.
 */
export function riskScore(percentiles: { volatility: number; drawdown: number; breaches: number }): number {
  return 50 * percentiles.volatility + 25 * percentiles.drawdown + 25 * percentiles.breaches;
}

/** Drawdowns of prices from their running maximum as fractions <= 0: the current one and the largest. */
export function drawdown(prices: readonly number[]): { current: number; maximum: number } {
  let [peak, current, maximum] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (const price of prices) {
    peak = Math.max(peak, price);
    current = price / peak - 1;
    maximum = Math.min(maximum, current);
  }
  return { current, maximum };
}
