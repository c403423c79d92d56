import { mean } from "../numeric/quantile.ts";

/** The exponents of the overall error and of the error near the step; chosen on held-back data. */
const [overallSharpness, stepSharpness] = [1.25, 1];
/** With fewer origins, the errors near a step say little, and have a smaller exponent. */
const minOriginsOfSteps = 3;
const fewOriginsSharpness = 0.5;
/** The errors of a step are averaged with those of as many steps on both sides. */
const nearbySteps = 3;

/** The means of each value with its neighbours. */
export function smoothSteps(errors: Float64Array): Float64Array {
  return errors.map((_, h) => mean(errors.subarray(Math.max(0, h - nearbySteps), h + nearbySteps + 1)));
}

/** The held-back step for step `h` of a forecast; beyond the held-back length the same position of its last season. */
export function toHeldBackStep(h: number, length: number, season: number): number {
  return h < length ? h : Math.max(0, length - season) + (h % Math.min(season, length));
}

/** (e_best / e)^sharpness; errors of 0 get equal weights. */
function weigh(errors: readonly number[], sharpness: number): number[] {
  const floor = Math.max(Math.min(...errors), 1e-12 * Math.max(...errors));
  return errors.map((error) => (error <= floor ? 1 : (floor / error) ** sharpness));
}

/**
 * Weights of members for each held-back step, which sum to 1: by the error of a member over all steps,
 * and over the steps near each step.
 *
 * @param errors by member, the size of its errors at each step
 * @param origins the number of origins of these errors
 */
export function weightsByStep(errors: readonly Float64Array[], origins: number): number[][] {
  const sharpness = origins < minOriginsOfSteps ? fewOriginsSharpness : stepSharpness;
  const overall = weigh(
    errors.map((own) => mean(own)),
    overallSharpness,
  );
  const near = errors.map(smoothSteps);
  return Array.from({ length: errors[0]?.length ?? 0 }, (_, h) => {
    const atStep = weigh(
      near.map((own) => own[h]!),
      sharpness,
    );
    const raw = overall.map((weight, k) => weight * atStep[k]!);
    const sum = raw.reduce((total, weight) => total + weight, 0);
    return raw.map((weight) => weight / sum);
  });
}

/** The weight that is left out at the lowest values, and at the highest ones; chosen on held-back data. */
const trimmedWeight = 0.2;

/** The weighted mean without the parts of the lowest and of the highest values that have `trimmedWeight` each. */
function trimmedMean(values: readonly number[], weights: readonly number[]): number {
  const order = values.map((_, k) => k).sort((a, b) => values[a]! - values[b]! || a - b);
  let [passed, sum, used] = [0, 0, 0];
  for (const k of order) {
    const from = Math.max(passed, trimmedWeight);
    passed += weights[k]!;
    const kept = Math.min(passed, 1 - trimmedWeight) - from;
    if (kept <= 0) continue;
    sum += kept * values[k]!;
    used += kept;
  }
  return sum / used;
}

/** Combines paths to one, at each step by the trimmed weighted mean, so that outlying members have little influence. */
export function combinePaths(
  paths: readonly Float64Array[],
  getWeights: (step: number) => readonly number[],
): Float64Array {
  return Float64Array.from({ length: paths[0]?.length ?? 0 }, (_, h) =>
    trimmedMean(
      paths.map((path) => path[h]!),
      getWeights(h),
    ),
  );
}
