import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";
import { continueRobustAr, weighResiduals } from "./robustAr.ts";

const halfLifeDays = 21;
const maxDaily = 6;
const maxSideband = 3;
const reweightings = 3;
const ridge = 0.02;
/** The penalty of a weekly frequency, relative to the daily frequencies. */
const weeklyPenalty = 1.5;

type Basis = { size: number; slots: number; rows: Float64Array; penalties: Float64Array };

/**
 * The frequencies in cycles per week, with their penalties: the day and its multiples, the week, and the frequencies
 * beside those of the day, which change its shape by weekday.
 */
function listFrequencies(day: number, week: number): { frequency: number; penalty: number }[] {
  const days = Math.round(week / day);
  const highest = Math.floor((day - 1) / 2);
  const daily = Array.from({ length: Math.min(maxDaily, highest) }, (_, k) => days * (k + 1));
  const weekly = days === 1 ? [] : [1, 2, 3];
  for (let k = 1; days > 1 && k <= Math.min(maxSideband, highest); k++)
    for (const offset of [-1, 1]) if (days * k + offset < week / 2) weekly.push(days * k + offset);
  const penalise = (frequency: number, factor: number) => ({ frequency, penalty: factor * (1 + frequency / days) });
  return [
    ...daily.map((frequency) => penalise(frequency, 1)),
    ...weekly.map((frequency) => penalise(frequency, weeklyPenalty)),
  ];
}

/** One row of regressors for each position in the week: a constant, cosines and sines. */
function createBasis(day: number, week: number): Basis {
  const frequencies = listFrequencies(day, week);
  const size = 1 + 2 * frequencies.length;
  const rows = new Float64Array(week * size);
  const penalties = new Float64Array(size);
  for (const [k, { frequency, penalty }] of frequencies.entries()) {
    penalties.fill(penalty, 1 + 2 * k, 3 + 2 * k);
    for (let slot = 0; slot < week; slot++) {
      const angle = (2 * Math.PI * ((frequency * slot) % week)) / week;
      rows[slot * size + 1 + 2 * k] = Math.cos(angle);
      rows[slot * size + 2 + 2 * k] = Math.sin(angle);
    }
  }
  for (let slot = 0; slot < week; slot++) rows[slot * size] = 1;
  return { size, slots: week, rows, penalties };
}

/** The penalised weighted fit to `values`, by position in the week. The sums by position suffice for it. */
function fitWeek(values: Float64Array, weights: Float64Array, { size, slots, rows, penalties }: Basis): Float64Array {
  const totals = new Float64Array(slots);
  const sums = new Float64Array(slots);
  for (let t = 0; t < values.length; t++) {
    totals[t % slots]! += weights[t]!;
    sums[t % slots]! += weights[t]! * values[t]!;
  }
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (let slot = 0; slot < slots; slot++)
    for (let i = 0, at = slot * size; i < size; i++) {
      const x = totals[slot]! * rows[at + i]!;
      for (let j = 0; j <= i; j++) matrix[i * size + j]! += x * rows[at + j]!;
      right[i]! += sums[slot]! * rows[at + i]!;
    }
  for (let i = 0; i < size; i++) matrix[i * size + i]! += penalties[i]! + 1e-8;
  const coefficients = solveCholesky(factorCholesky(matrix, size), size, right);
  return Float64Array.from({ length: slots }, (_, slot) => {
    let value = 0;
    for (let i = 0; i < size; i++) value += coefficients[i]! * rows[slot * size + i]!;
    return value;
  });
}

const subtract = (values: Float64Array, fitted: Float64Array) =>
  values.map((value, t) => value - fitted[t % fitted.length]!);

/**
 * Dynamic harmonic regression (Young, Pedregal & Tych 1999, J. Forecasting 18(6)): sines and cosines of the day, of the
 * week and of the day's change over the week, with penalties that grow with the frequency and weights that halve with
 * 21 days of age, fitted by least absolute errors, and a robust autoregression of the remainder. Robust weights use the
 * whole series, coefficients of an origin the values before it only.
 *
 * @param values the series on the model's scale
 * @param periods values in a day and in a week; equal for a single season
 */
export function forecastHarmonics(
  values: Float64Array,
  { day, week }: { day: number; week: number },
  origins: readonly { known: number; horizon: number }[],
): Float64Array[] {
  const basis = createBasis(day, week);
  const n = values.length;
  const ages = Float64Array.from({ length: n }, (_, t) => 0.5 ** ((n - 1 - t) / (halfLifeDays * day)));
  let robust: Float64Array = new Float64Array(values.length).fill(1);
  for (let round = 0; round < reweightings; round++) {
    const weights = ages.map((age, t) => age * robust[t]!);
    robust = weighResiduals(subtract(values, fitWeek(values, weights, basis)));
  }
  return origins.map(({ known, horizon }) => {
    const history = values.subarray(0, known);
    // The ages of the last values before the origin are those of the end.
    const weights = robust.subarray(0, known).map((weight, t) => weight * ages[n - known + t]!);
    const fitted = fitWeek(history, weights, basis);
    const recent = subtract(history, fitted).subarray(Math.max(0, known - halfLifeDays * day));
    const lags = [1, 2, 3, day, day + 1].filter((lag, i, all) => lag < recent.length / 2 && all.indexOf(lag) === i);
    const continued = continueRobustAr(recent, { lags, ridge }, horizon);
    return continued.map((value, h) => fitted[(known + h) % week]! + value);
  });
}
