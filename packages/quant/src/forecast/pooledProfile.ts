import { centredLevel } from "./profileAr.ts";
import { continueRobustAr, remainderLags, weighResiduals } from "./robustAr.ts";

const maxDays = 112;
const reweightings = 3;
/** How much a difference between two weekdays counts, relative to the noise of their profiles. */
const biasWeight = 2;
const ridge = 0.02;
const remainderDays = 35;

/** Days of values as rows, the weekday of each row, and the weight of its age. */
type Days = { count: number; length: number; values: Float64Array; weekdays: number[]; ages: number[] };
type Profiles = { own: Float64Array[]; effective: number[]; noise: number };

function cutDays(values: Float64Array, length: number, weekdays: number, halfLifeDays: number): Days {
  const count = Math.min(maxDays, Math.floor(values.length / length));
  const rows = Array.from({ length: count }, (_, i) => i);
  return {
    count,
    length,
    values: values.subarray(values.length - count * length),
    // The first day after the end has weekday 0.
    weekdays: rows.map((i) => (weekdays - ((count - i) % weekdays)) % weekdays),
    ages: rows.map((i) => 0.5 ** ((count - 1 - i) / halfLifeDays)),
  };
}

/** The weight of each value: the weight of its day's age, times a robust weight. */
function repeatByDay({ count, length, ages }: Days, robust: Float64Array | null = null): Float64Array {
  const weights = new Float64Array(count * length);
  for (let i = 0, t = 0; i < count; i++)
    for (let h = 0; h < length; h++, t++) weights[t] = ages[i]! * (robust?.[t] ?? 1);
  return weights;
}

/** The weighted mean profile of each weekday, its effective number of days, and the variance of a single value. */
function averageWeekdays(days: Days, weights: Float64Array, weekdays: number): Profiles {
  const { count, length, values } = days;
  const own = Array.from({ length: weekdays }, () => new Float64Array(length));
  const totals = Array.from({ length: weekdays }, () => new Float64Array(length));
  const [sums, squares] = [new Array<number>(weekdays).fill(0), new Array<number>(weekdays).fill(0)];
  for (let i = 0, t = 0; i < count; i++) {
    const weekday = days.weekdays[i]!;
    const [profile, total] = [own[weekday]!, totals[weekday]!];
    sums[weekday]! += days.ages[i]!;
    squares[weekday]! += days.ages[i]! ** 2;
    for (let h = 0; h < length; h++, t++) {
      profile[h]! += weights[t]! * values[t]!;
      total[h]! += weights[t]!;
    }
  }
  for (const [weekday, profile] of own.entries())
    for (let h = 0; h < length; h++) profile[h]! /= totals[weekday]![h]! || 1;
  let [noise, total] = [0, 0];
  for (let i = 0, t = 0; i < count; i++) {
    const profile = own[days.weekdays[i]!]!;
    for (let h = 0; h < length; h++, t++) {
      noise += weights[t]! * (values[t]! - profile[h]!) ** 2;
      total += weights[t]!;
    }
  }
  const freedom = count / Math.max(count - weekdays, 1);
  const effective = sums.map((sum, weekday) => (sum > 0 ? sum ** 2 / squares[weekday]! : 0));
  return { own, effective, noise: (noise / total) * freedom + 1e-12 };
}

/**
 * The profile of each weekday as a mean over all weekdays with weights 1 / (variance of the mean + squared difference),
 * so that weekdays of the same shape share their noise. The squared difference excludes the part that noise explains.
 */
function poolWeekdays({ own, effective, noise }: Profiles): Float64Array[] {
  const variances = effective.map((days) => noise / Math.max(days, 0.5));
  return own.map((target, k) => {
    const pooled = new Float64Array(target.length);
    let total = 0;
    for (const [other, profile] of own.entries()) {
      if (effective[other] === 0) continue;
      let distance = 0;
      for (let h = 0; h < target.length; h++) distance += (profile[h]! - target[h]!) ** 2 / target.length;
      // A weekday without values is the mean of the others.
      const bias = other === k || effective[k] === 0 ? 0 : Math.max(0, distance - variances[other]! - variances[k]!);
      const weight = 1 / (variances[other]! + biasWeight * bias);
      total += weight;
      for (let h = 0; h < target.length; h++) pooled[h]! += weight * profile[h]!;
    }
    return pooled.map((sum) => sum / total);
  });
}

/**
 * The profiles with their deviations from the mean of all weekdays smoothed over adjacent values, because the difference
 * between two weekdays changes slowly over the day, and is known from few days.
 */
function smoothDeviations(profiles: Float64Array[]): Float64Array[] {
  const { length } = profiles[0]!;
  const mean = new Float64Array(length);
  for (const profile of profiles) for (let h = 0; h < length; h++) mean[h]! += profile[h]! / profiles.length;
  return profiles.map((profile) => {
    const deviation = (h: number) => profile[h % length]! - mean[h % length]!;
    return mean.map((value, h) => value + (deviation(h + length - 1) + 2 * deviation(h) + deviation(h + 1)) / 4);
  });
}

/**
 * Pooled weekday profiles: level (centred mean over a week), a profile of each weekday that shares its noise with
 * similar weekdays (shrinkage by empirical Bayes, Efron & Morris 1973), fitted by least absolute errors, and a robust
 * autoregression of the remainder.
 *
 * @param values the history on the model's scale, at least two days
 * @param options values in a day and in a week, equal for a single season; the age at which the weight of a day halves;
 *   whether the deviations of weekdays are smoothed
 */
export function forecastPooledProfile(
  values: Float64Array,
  { day, week, halfLifeDays, isSmooth }: { day: number; week: number; halfLifeDays: number; isSmooth?: boolean },
  horizon: number,
): Float64Array {
  const weekdays = Math.round(week / day);
  const level = centredLevel(values, values.length >= 2 * week ? week : day);
  const days = cutDays(
    values.map((value, t) => value - level[t]!),
    day,
    weekdays,
    halfLifeDays,
  );
  let weights = repeatByDay(days);
  let profiles: Float64Array[] = [];
  const remainder = days.values.slice();
  for (let round = 0; round <= reweightings; round++) {
    profiles = poolWeekdays(averageWeekdays(days, weights, weekdays));
    if (isSmooth) profiles = smoothDeviations(profiles);
    for (let i = 0, t = 0; i < days.count; i++)
      for (let h = 0; h < day; h++, t++) remainder[t] = days.values[t]! - profiles[days.weekdays[i]!]![h]!;
    if (round < reweightings) weights = repeatByDay(days, weighResiduals(remainder));
  }
  const recent = remainder.subarray(Math.max(0, remainder.length - remainderDays * day));
  const continued = continueRobustAr(recent, { lags: remainderLags(day, recent.length), ridge }, horizon);
  return continued.map((value, h) => level.at(-1)! + profiles[Math.floor(h / day) % weekdays]![h % day]! + value);
}
