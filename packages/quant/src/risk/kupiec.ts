import { chiSquareSurvival } from "../numeric/distributions.ts";

/** k ln p with 0 ln 0 = 0. */
export const weightedLog = (count: number, probability: number) => (count === 0 ? 0 : count * Math.log(probability));

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
