import { mean } from "../numeric/quantile.ts";

/** 90%: the level at which the M4 competition tests for seasonality. */
const criticalValue = 1.645;

/** The autocorrelations at lags 1..max with the divisor n, as R's `acf`. */
function autocorrelations(values: readonly number[], max: number): number[] {
  const center = mean(values);
  const centered = values.map((value) => value - center);
  const variance = centered.reduce((sum, value) => sum + value * value, 0);
  return Array.from({ length: max }, (_, lag) => {
    let sum = 0;
    for (let t = lag + 1; t < centered.length; t++) sum += centered[t]! * centered[t - lag - 1]!;
    return sum / variance;
  });
}

/** Whether the autocorrelation at the season is significant, by the test of the M4 competition for Naive2. */
function isSeasonal(history: readonly number[], season: number): boolean {
  if (season < 2 || history.length < 3 * season) return false;
  const all = autocorrelations(history, season);
  const squares = all.slice(0, -1).reduce((sum, value) => sum + value * value, 0);
  return Math.abs(all.at(-1)!) > criticalValue * Math.sqrt((1 + 2 * squares) / history.length);
}

/**
 * The indices of the classical multiplicative decomposition by position in the season, with mean 1 (R's `decompose`).
 */
function seasonalIndices(history: readonly number[], season: number): number[] {
  const half = Math.floor(season / 2);
  const ratios: number[][] = Array.from({ length: season }, () => []);
  for (let t = half; t < history.length - half; t++) {
    // A window of season + 1 values with halved ends when the season is even.
    const ends =
      season % 2 === 0 ? (history[t - half]! + history[t + half]!) / 2 : history[t - half]! + history[t + half]!;
    let sum = ends;
    for (let i = t - half + 1; i < t + half; i++) sum += history[i]!;
    ratios[t % season]!.push((history[t]! * season) / sum);
  }
  const indices = ratios.map(mean);
  const level = mean(indices);
  return indices.map((index) => index / level);
}

/**
 * Naive2, the benchmark of the M4 competition: the last value, seasonally adjusted by classical multiplicative
 * decomposition where a 90% autocorrelation test finds a season (Makridakis et al. 2020; the organisers' R code).
 *
 * @param history positive values, the oldest first
 * @param season values in a season; 1 for none
 * @returns `horizon` forecasts
 * @throws RangeError when the history is empty
 */
export function naive2(history: readonly number[], season: number, horizon: number): number[] {
  if (history.length === 0) throw new RangeError("Naive2 needs at least one value");
  const last = history.length - 1;
  if (!isSeasonal(history, season)) return new Array<number>(horizon).fill(history[last]!);
  const indices = seasonalIndices(history, season);
  const level = history[last]! / indices[last % season]!;
  return Array.from({ length: horizon }, (_, h) => level * indices[(last + 1 + h) % season]!);
}
