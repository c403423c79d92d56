/** The candidates for the gains of level, daily and weekly state, and for the autocorrelation of errors. */
const levelGains = [0.01, 0.05, 0.15];
const dailyGains = [0.03, 0.1];
const weeklyGains = [0.05, 0.12];
const autocorrelations = [0.6, 0.9];

type State = { level: number; daily: Float64Array; weekly: Float64Array; error: number };
type Gains = { level: number; daily: number; weekly: number; autocorrelation: number };

const combinations: readonly Gains[] = levelGains.flatMap((level) =>
  dailyGains.flatMap((daily) =>
    weeklyGains.flatMap((weekly) =>
      autocorrelations.map((autocorrelation) => ({ level, daily, weekly, autocorrelation })),
    ),
  ),
);

/** Initial states from the first week: its mean, the mean deviation of each hour of the day, and the remainder. */
function createState(values: Float64Array, day: number, week: number): State {
  let level = 0;
  for (let t = 0; t < week; t++) level += values[t]! / week;
  const daily = new Float64Array(day);
  const counts = new Float64Array(day);
  for (let t = 0; t < week; t++) {
    daily[t % day]! += values[t]! - level;
    counts[t % day]!++;
  }
  for (let slot = 0; slot < day; slot++) daily[slot]! /= counts[slot]!;
  const weekly = Float64Array.from({ length: week }, (_, t) => values[t]! - level - daily[t % day]!);
  return { level, daily, weekly, error: 0 };
}

/** Smooths the values from the second week on; returns the mean absolute one-step error after the second week. */
function smooth(values: Float64Array, state: State, gains: Gains): number {
  const { daily, weekly } = state;
  const day = daily.length;
  const week = weekly.length;
  let sum = 0;
  for (let t = week; t < values.length; t++) {
    const deviation = values[t]! - state.level - daily[t % day]! - weekly[t % week]!;
    if (t >= 2 * week) sum += Math.abs(deviation - gains.autocorrelation * state.error);
    state.level += gains.level * deviation;
    daily[t % day]! += gains.daily * deviation;
    weekly[t % week]! += gains.weekly * deviation;
    state.error = deviation;
  }
  return sum / Math.max(1, values.length - 2 * week);
}

/**
 * Double seasonal exponential smoothing with autocorrelated errors (Taylor 2003, JORS 54(8)), additive, with the gains
 * of the smallest one-step error in the history.
 *
 * @param values the history on the model's scale, at least two weeks
 * @param periods values in a day and in a week; equal for a single season
 */
export function forecastDoubleSeasonal(
  values: Float64Array,
  { day, week }: { day: number; week: number },
  horizon: number,
): Float64Array {
  let best: { error: number; state: State; gains: Gains } | null = null;
  for (const gains of combinations) {
    const state = createState(values, day, week);
    const error = smooth(values, state, gains);
    if (best === null || error < best.error) best = { error, state, gains };
  }
  const { state, gains } = best!;
  return Float64Array.from({ length: horizon }, (_, h) => {
    const t = values.length + h;
    const seasonal = state.daily[t % day]! + state.weekly[t % week]!;
    return state.level + seasonal + state.error * gains.autocorrelation ** (h + 1);
  });
}
