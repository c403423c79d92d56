import { continueRobustAr, remainderLags } from "./robustAr.ts";

/** The shorter and the longer period of the profile; equal if only one fits. */
type ProfilePeriods = { day: number; week: number };

const halfLifeWeeks = 4;
const shrinkage = 0.5;
const ridge = 1e-3;

/** The centred mean over `width` values, extended constantly at both ends. */
export function centredLevel(values: Float64Array, width: number): Float64Array {
  const n = values.length;
  const before = Math.floor((width - 1) / 2);
  const sums = new Float64Array(n + 1);
  for (let t = 0; t < n; t++) sums[t + 1] = sums[t]! + values[t]!;
  const size = Math.min(width, n);
  return Float64Array.from({ length: n }, (_, t) => {
    const start = Math.min(Math.max(t - before, 0), n - size);
    return (sums[start + size]! - sums[start]!) / size;
  });
}

/** Weighted means by slot, shrunk to 0 by half an observation; the weight halves every `halfLife` values. */
function shrunkMeans(values: Float64Array, period: number, halfLife: number): Float64Array {
  const sums = new Float64Array(period);
  const weights = new Float64Array(period);
  const decay = 0.5 ** (1 / halfLife);
  let weight = 1;
  for (let t = values.length - 1; t >= 0; t--, weight *= decay) {
    sums[t % period]! += weight * values[t]!;
    weights[t % period]! += weight;
  }
  return sums.map((sum, slot) => sum / (weights[slot]! + shrinkage));
}

/**
 * Weekly profile and autoregression: level (centred mean over a week, extended constantly at the ends), mean of each
 * hour of the day, deviation of each hour of the week with a half-life of four weeks, and a robust autoregression of
 * the remainder.
 *
 * @param values the history on the model's scale, at least two weeks
 */
export function forecastProfileAr(values: Float64Array, { day, week }: ProfilePeriods, horizon: number): Float64Array {
  const n = values.length;
  const level = centredLevel(values, week);
  const detrended = values.map((value, t) => value - level[t]!);
  const daily = shrunkMeans(detrended, day, halfLifeWeeks * week);
  const deviations = detrended.map((value, t) => value - daily[t % day]!);
  const weekly = shrunkMeans(deviations, week, halfLifeWeeks * week);
  const remainder = deviations.map((value, t) => value - weekly[t % week]!);
  const continued = continueRobustAr(remainder, { lags: remainderLags(day, n), ridge }, horizon);
  return continued.map((value, h) => {
    const t = n + h;
    return level[n - 1]! + daily[t % day]! + weekly[t % week]! + value;
  });
}
