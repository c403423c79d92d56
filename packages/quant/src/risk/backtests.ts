import { chiSquareSurvival, normalSurvival } from "../numeric/distributions.ts";
import { mean } from "../numeric/quantile.ts";

/** k ln p with 0 ln 0 = 0. */
const weightedLog = (count: number, probability: number) => (count === 0 ? 0 : count * Math.log(probability));

export type TestResult = { statistic: number; pValue: number };

/**
 * The proportion of failures test (Kupiec 1995): whether `breaches` of `days` agree with an expected rate, by the
 * likelihood ratio with one degree of freedom.
 *
 * @param rate expected, e.g. 0.01
 * @throws RangeError for counts that are not within the number of days, or a rate outside of (0, 1)
 */
export function kupiec(breaches: number, days: number, rate: number): TestResult {
  if (!(breaches >= 0 && breaches <= days && days > 0 && rate > 0 && rate < 1))
    throw new RangeError(`${breaches} breaches of ${days} days at rate ${rate} cannot be tested`);
  const observed = breaches / days;
  const expected = weightedLog(days - breaches, 1 - rate) + weightedLog(breaches, rate);
  const fitted = weightedLog(days - breaches, 1 - observed) + weightedLog(breaches, observed);
  const statistic = Math.max(0, 2 * (fitted - expected));
  return { statistic, pValue: chiSquareSurvival(statistic, 1) };
}

/**
 * The tests of Christoffersen (1998, IER 39(4)): independence of breaches from the day before (one degree of freedom),
 * and conditional coverage, which adds Kupiec's test (two degrees).
 *
 * @param breaches by day, the oldest first; at least two
 * @param rate expected, e.g. 0.01
 */
export function christoffersen(
  breaches: readonly boolean[],
  rate: number,
): { independence: TestResult; conditionalCoverage: TestResult } {
  const counts = [0, 0, 0, 0];
  for (let t = 1; t < breaches.length; t++) counts[(breaches[t - 1] ? 2 : 0) + (breaches[t] ? 1 : 0)]!++;
  const [quietQuiet, quietBreach, breachQuiet, breachBreach] = counts as [number, number, number, number];
  const share = (part: number, other: number) => (part + other === 0 ? 0 : part / (part + other));
  const afterQuiet = share(quietBreach, quietQuiet);
  const afterBreach = share(breachBreach, breachQuiet);
  const anyDay = share(quietBreach + breachBreach, quietQuiet + breachQuiet);
  const dependent =
    weightedLog(quietQuiet, 1 - afterQuiet) +
    weightedLog(quietBreach, afterQuiet) +
    weightedLog(breachQuiet, 1 - afterBreach) +
    weightedLog(breachBreach, afterBreach);
  const independent =
    weightedLog(quietQuiet + breachQuiet, 1 - anyDay) + weightedLog(quietBreach + breachBreach, anyDay);
  const statistic = Math.max(0, 2 * (dependent - independent));
  const coverage = kupiec(breaches.filter(Boolean).length, breaches.length, rate);
  const joint = statistic + coverage.statistic;
  return {
    independence: { statistic, pValue: chiSquareSurvival(statistic, 1) },
    conditionalCoverage: { statistic: joint, pValue: chiSquareSurvival(joint, 2) },
  };
}

/**
 * The test of equal accuracy (Diebold & Mariano 1995) with the small-sample factor of Harvey, Leybourne & Newbold
 * (1997), by the normal distribution.
 *
 * @param first losses of the first forecast by time
 * @param second losses of the second forecast
 * @param horizon steps ahead: autocovariances up to horizon - 1 enter the variance
 * @returns a negative statistic when the first is better; the two-sided p value
 */
export function dieboldMariano(
  first: readonly number[],
  second: readonly number[],
  horizon = 1,
): { statistic: number; pValue: number } {
  const differences = first.map((loss, t) => loss - second[t]!);
  const center = mean(differences);
  const n = differences.length;
  let variance = 0;
  for (let lag = 0; lag < horizon; lag++) {
    let sum = 0;
    for (let t = lag; t < n; t++) sum += (differences[t]! - center) * (differences[t - lag]! - center);
    variance += ((lag === 0 ? 1 : 2) * sum) / n;
  }
  const factor = Math.sqrt((n + 1 - 2 * horizon + (horizon * (horizon - 1)) / n) / n);
  const statistic = variance > 0 ? (factor * center) / Math.sqrt(variance / n) : 0;
  return { statistic, pValue: 2 * normalSurvival(Math.abs(statistic)) };
}
