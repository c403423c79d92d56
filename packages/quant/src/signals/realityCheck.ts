import { mean } from "../numeric/quantile.ts";
import { stationaryBootstrap, type Uniform } from "./stationaryBootstrap.ts";

/**
 * Tests whether the best of many strategies is better than no strategy, given the number of strategies tried: p values
 * of White's reality check (2000, Econometrica 68) and of Hansen's test for superior predictive ability (2005, JBES
 * 23), consistent form.
 *
 * @param returns by strategy, each with the same periods; of all strategies tried, not only the best ones
 * @returns the index of the strategy with the largest studentised mean, both p values, and by strategy the p value of
 *   its own mean against the best of all (single step, so that any number of strategies may be judged by them)
 * @throws RangeError when the lists are empty or the lengths differ
 */
export function realityCheck(
  returns: readonly (readonly number[])[],
  { meanBlock, resamples, uniform }: { meanBlock: number; resamples: number; uniform: Uniform },
): { best: number; realityCheckP: number; spaP: number; adjustedP: number[] } {
  const n = returns[0]?.length ?? 0;
  if (n === 0 || returns.some((each) => each.length !== n))
    throw new RangeError("every strategy needs a return for each period, and at least one period is required");
  const root = Math.sqrt(n);
  const means = returns.map(mean);
  const draws = Array.from({ length: resamples }, () => {
    const indices = stationaryBootstrap(n, meanBlock, uniform);
    return returns.map((each) => {
      let sum = 0;
      for (const index of indices) sum += each[index]!;
      return sum / n;
    });
  });
  const deviations = means.map((center, k) => {
    const variance = draws.reduce((sum, draw) => sum + n * (draw[k]! - center) ** 2, 0) / resamples;
    return Math.sqrt(Math.max(variance, Number.MIN_VALUE));
  });
  // A strategy far below 0 is not recentred to 0: it cannot be the best one, and would only hide the others.
  const bound = -Math.sqrt(2 * Math.log(Math.log(Math.max(n, 3))));
  const centers = means.map((center, k) => ((root * center) / deviations[k]! >= bound ? center : 0));
  const studentised = means.map((center, k) => (root * center) / deviations[k]!);
  const observed = { plain: Math.max(...means) * root, studentised: Math.max(0, ...studentised) };
  let plain = 0;
  let superior = 0;
  const above = new Array<number>(returns.length).fill(0);
  for (const draw of draws) {
    if (Math.max(...draw.map((value, k) => root * (value - means[k]!))) >= observed.plain) plain++;
    const largest = Math.max(0, ...draw.map((value, k) => (root * (value - centers[k]!)) / deviations[k]!));
    if (largest >= observed.studentised) superior++;
    for (let k = 0; k < above.length; k++) if (largest >= Math.max(0, studentised[k]!)) above[k]!++;
  }
  const best = studentised.indexOf(Math.max(...studentised));
  const adjustedP = above.map((count) => count / resamples);
  return { best, realityCheckP: plain / resamples, spaP: superior / resamples, adjustedP };
}
