import { chiSquareSurvival } from "../numeric/distributions.ts";
import { kupiec, type TestResult, weightedLog } from "./kupiec.ts";

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
