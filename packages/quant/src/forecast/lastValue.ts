import { quantileSorted } from "../numeric/quantile.ts";

/** The learned scale of moves: coefficients of the log scale by feature, and quantiles of |move| / scale by horizon. */
export type MoveModel = { coefficients: number[]; horizons: number[]; multipliers: number[][] };

/** Windows of the mean absolute step, in values; the whole history is the fourth. */
const windows = [3, 24, 168] as const;
/** The central levels whose half-widths are learned. */
export const centralLevels = [0.5, 0.8, 0.95] as const;
/** The number of independent windows at which a series' own quantiles weigh as much as the pooled quantiles. */
const pooledWeight = 60;
/**
 * The scale of a short series is uncertain: half-widths of the levels grow by these numbers / length. Measured on prices
 * before 2022-06-14 with 10 to 336 values.
 */
const shortWidening = [0.8, 1.2, 1.8] as const;
const warmUp = 24;
const maxOwnOrigins = 1_024;
const floor = 1e-3;

export type Steps = { sums: Float64Array; isLog: boolean };

/** The running sums of absolute steps: of logarithms for a positive series, otherwise of the values. */
export function getSteps(series: readonly number[]): Steps {
  const isLog = series.every((value) => value > 0);
  const sums = new Float64Array(series.length);
  for (let t = 1; t < series.length; t++) sums[t] = sums[t - 1]! + Math.abs(toMove(series[t - 1]!, series[t]!, isLog));
  return { sums, isLog };
}

/** The move between two values on the scale of steps. */
export function toMove(from: number, to: number, isLog: boolean): number {
  if (!isLog) return to - from;
  const ratio = to / from;
  // Beyond the range of numbers, the ratio is 0 or Infinity, and the difference of the logarithms is finite.
  return ratio > 0 && ratio < Number.POSITIVE_INFINITY ? Math.log(ratio) : Math.log(to) - Math.log(from);
}

/**
 * The regressors of log(|move| / mean step) at origin `t` and horizon `h`, and the mean absolute step.
 *
 * @returns null for a constant series
 */
export function moveFeatures({ sums }: Steps, t: number, h: number): { unit: number; features: number[] } | null {
  const unit = sums[t]! / Math.max(t, 1);
  if (!(unit > 0)) return null;
  const recent = windows.map((width) => {
    const size = Math.min(width, t);
    return Math.log(Math.max((sums[t]! - sums[t - size]!) / size / unit, floor));
  });
  const step = Math.log(h);
  return { unit, features: [1, ...recent, step, step * recent[1]!, step * recent[2]!] };
}

/** The scale of the move from `t` over `h` steps; 0 for a constant series. */
export function moveScale(steps: Steps, t: number, h: number, { coefficients }: MoveModel): number {
  const found = moveFeatures(steps, t, h);
  if (found === null) return 0;
  let sum = 0;
  for (const [i, feature] of found.features.entries()) sum += coefficients[i]! * feature;
  return found.unit * Math.exp(Math.min(sum, 6));
}

/** The quantiles of |move| / scale in a series' own history at a horizon, and the number of independent windows. */
function ownMultipliers(series: readonly number[], steps: Steps, h: number, model: MoveModel) {
  const ratios: number[] = [];
  const stride = Math.ceil(series.length / maxOwnOrigins);
  for (let t = warmUp; t + h < series.length; t += stride) {
    const scale = moveScale(steps, t, h, model);
    if (scale > 0) ratios.push(Math.abs(toMove(series[t]!, series[t + h]!, steps.isLog)) / scale);
  }
  const sorted = Float64Array.from(ratios).sort();
  return {
    windows: Math.max(0, series.length - warmUp - h) / h,
    multipliers: centralLevels.map((level) => quantileSorted(sorted, level)),
  };
}

/**
 * The half-widths of the central levels at a learned horizon: pooled and own quantiles, weighted by the number of own
 * windows.
 */
function blend(series: readonly number[], steps: Steps, index: number, model: MoveModel): number[] {
  const h = model.horizons[index]!;
  const pooled = model.multipliers[index]!;
  const own = ownMultipliers(series, steps, h, model);
  const weight = own.windows / (own.windows + pooledWeight);
  return pooled.map((multiplier, k) => {
    const measured = own.multipliers[k]!;
    return measured > 0 ? multiplier ** (1 - weight) * measured ** weight : multiplier;
  });
}

/**
 * Half-widths of the central intervals around the last value, on the scale of steps: scale of recent moves times the
 * geometric mean of pooled and own quantiles. Multipliers are interpolated in log(h) between learned horizons.
 *
 * @returns by horizon, one for each of `centralLevels`
 */
export function lastValueHalfWidths(series: readonly number[], horizon: number, model: MoveModel): number[][] {
  const steps = getSteps(series);
  const last = series.length - 1;
  const needed = model.horizons.findIndex((h) => h >= horizon);
  const count = needed === -1 ? model.horizons.length : needed + 1;
  const blended = Array.from({ length: count }, (_, index) => blend(series, steps, index, model));
  return Array.from({ length: horizon }, (_, i) => {
    const h = i + 1;
    const scale = moveScale(steps, last, h, model);
    const above = model.horizons.findIndex((each) => each >= h);
    const high = above === -1 || above >= count ? count - 1 : above;
    const low = Math.max(0, high - 1);
    const from = Math.log(model.horizons[low]!);
    const to = Math.log(model.horizons[high]!);
    const share = to > from ? Math.min(1, (Math.log(h) - from) / (to - from)) : 1;
    const widen = (k: number) => 1 + shortWidening[k]! / series.length;
    return centralLevels.map(
      (_, k) => widen(k) * scale * (blended[low]![k]! * (1 - share) + blended[high]![k]! * share),
    );
  });
}

/**
 * The quantiles of a forecast by the last value: symmetric in logarithms for a positive series, otherwise in values.
 */
export function forecastLastValue(series: readonly number[], horizon: number, model: MoveModel): Float64Array[] {
  const last = series.at(-1)!;
  const isLog = series.every((value) => value > 0);
  const widths = lastValueHalfWidths(series, horizon, model);
  const move = (size: number) => (isLog ? last * Math.exp(size) : last + size);
  const at = (level: number, sign: number) =>
    Float64Array.from(widths, (all) => (level < 0 ? last : move(sign * all[level]!)));
  return [at(2, -1), at(1, -1), at(0, -1), at(-1, 1), at(0, 1), at(1, 1), at(2, 1)];
}
