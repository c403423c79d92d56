import { mean } from "../numeric/quantile.ts";
import { combinePaths, toHeldBackStep, weightsByStep } from "./combineByHeldBack.ts";
import { forecastMembers, type MemberPaths, type Origin, type Priors } from "./forecastMembers.ts";
import { getHeldBackLength, type Periods } from "./periods.ts";
import { scaleUnusualDays } from "./unusualDays.ts";

const maxOrigins = 12;
const minOrigins = 3;
/** Minimum seasons before a second and a third origin, except for weekly series. */
const minKnownSeasons = 3.2;
/** Minimum periods before further origins: regressions on two periods need as many. */
const minKnownPeriods = 2.2;
/** Minimum held-back lengths before an origin. */
const minKnownSteps = 1.5;

/** The errors of the ensemble at its held-back origins; the weights of an origin come from the other origins. */
export type HeldBack = {
  /** The values after each origin, and their forecasts by the ensemble and by its members. */
  actual: Float64Array[];
  forecast: Float64Array[];
  members: MemberPaths[];
  /** The mean weights of the members over the steps, by origin. */
  weights: number[][];
  /** The number of values before each origin. */
  known: number[];
};

export type Ensemble = {
  path: Float64Array;
  members: { name: string; weight: number; path: Float64Array }[];
  heldBack: HeldBack;
};

/**
 * A member's error at each step over the origins: the cube of the mean cube root, so that one origin with large errors
 * of all members does not decide about their weights; zeros without origins.
 */
function errorsByStep(actual: readonly Float64Array[], paths: readonly Float64Array[], step: number): Float64Array {
  const errors = new Float64Array(step);
  for (const [i, values] of actual.entries())
    for (let h = 0; h < step; h++) errors[h]! += Math.cbrt(Math.abs(values[h]! - paths[i]![h]!)) / actual.length;
  return errors.map((root) => root ** 3);
}

/** The held-back origins, `step` apart, while enough values remain before the origin; the earliest first. */
function heldBackOrigins(
  length: number,
  step: number,
  { season, period }: { season: number; period: number },
): Origin[] {
  const origins: Origin[] = [];
  for (let back = 1; back <= maxOrigins; back++) {
    const known = length - back * step;
    // An origin with too few values for the regressions would exclude the regressions everywhere.
    const needed = Math.max(minKnownSeasons * season, back > minOrigins ? minKnownPeriods * period : 0);
    if (known >= minKnownSteps * step && (back === 1 || known >= needed)) origins.unshift({ known, horizon: step });
  }
  return origins;
}

/**
 * Forecasts a seasonal series by the applicable members, weighted by their errors at up to twelve held-back origins
 * (forecast combination, Bates & Granger 1969).
 *
 * @returns null when no member applies
 */
export function forecastEnsemble(
  series: readonly number[],
  periods: Periods,
  horizon: number,
  priors: Priors,
): Ensemble | null {
  const step = getHeldBackLength(periods, series.length);
  if (step === null) return null;
  const origins = heldBackOrigins(series.length, step, {
    season: periods.isYearly ? 0 : (periods.season ?? 0),
    period: periods.cycle ?? periods.season ?? 1,
  });
  const ends = [...origins, { known: series.length, horizon }];
  const all = forecastMembers(scaleUnusualDays(series, periods), periods, ends, priors);
  if (all.length === 0) return null;
  const actual = origins.map((origin) => Float64Array.from(series.slice(origin.known, origin.known + origin.horizon)));
  const getWeights = (omitted: number) => {
    const isUsed = (i: number) => i !== omitted || origins.length === 1;
    const others = actual.filter((_, i) => isUsed(i));
    const errors = all.map(({ paths }) =>
      errorsByStep(
        others,
        paths.filter((_, i) => i < origins.length && isUsed(i)),
        step,
      ),
    );
    const weights = weightsByStep(errors, origins.length);
    return (h: number) => weights[toHeldBackStep(h, step, periods.season ?? step)]!;
  };
  const combineAt = (i: number, weights: (h: number) => number[]) => {
    const path = combinePaths(
      all.map(({ paths }) => paths[i]!),
      weights,
    );
    const steps = Array.from(path, (_, h) => weights(h));
    return { path, weights: all.map((_, k) => mean(steps.map((each) => each[k]!))) };
  };
  const heldBackForecasts = origins.map((_, i) => combineAt(i, getWeights(i)));
  const { path, weights } = combineAt(origins.length, getWeights(-1));
  const members = all.map(({ name, paths }, k) => ({ name, weight: weights[k]!, path: paths.at(-1)! }));
  const heldBack = {
    actual,
    forecast: heldBackForecasts.map((each) => each.path),
    members: all,
    weights: heldBackForecasts.map((each) => each.weights),
    known: origins.map((origin) => origin.known),
  };
  return { path, members, heldBack };
}
