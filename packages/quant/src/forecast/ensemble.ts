import { mean } from "../numeric/quantile.ts";
import { combinePaths, weightsByError } from "./combineByHeldBack.ts";
import { forecastMembers, type MemberPaths, type Origin, type Priors } from "./forecastMembers.ts";
import { getHeldBackLength, type Periods } from "./periods.ts";

const maxOrigins = 12;
const minOrigins = 3;
/** Seasons that must be known at a second and a third origin, except for weeks. */
const minKnownSeasons = 3.2;
/** Periods that must be known at more origins than three: regressions on two of them need as many. */
const minKnownPeriods = 2.2;
/** Held-back lengths that must be known at an origin. */
const minKnownSteps = 1.5;

/** The errors of the ensemble at its held-back origins, weights of an origin judged at the others. */
export type HeldBack = {
  /** The values after each origin, the ensemble's forecasts of them, and those of its members. */
  actual: Float64Array[];
  forecast: Float64Array[];
  members: MemberPaths[];
  weights: number[][];
  /** How many values are known at each origin. */
  known: number[];
};

export type Ensemble = {
  path: Float64Array;
  members: { name: string; weight: number; path: Float64Array }[];
  heldBack: HeldBack;
};

function meanAbsoluteError(actual: Float64Array, forecast: Float64Array): number {
  return mean(actual.map((value, h) => Math.abs(value - forecast[h]!)));
}

/** The held-back origins: `step` apart, while enough remains known; the earliest first. */
function heldBackOrigins(
  length: number,
  step: number,
  { season, period }: { season: number; period: number },
): Origin[] {
  const origins: Origin[] = [];
  for (let back = 1; back <= maxOrigins; back++) {
    const known = length - back * step;
    // An origin that knows too little for the regressions would exclude them altogether.
    const needed = Math.max(minKnownSeasons * season, back > minOrigins ? minKnownPeriods * period : 0);
    if (known >= minKnownSteps * step && (back === 1 || known >= needed)) origins.unshift({ known, horizon: step });
  }
  return origins;
}

/**
 * Forecasts a seasonal series by the members that apply, weighted by their errors at up to twelve held-back origins
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
  const all = forecastMembers(series, periods, [...origins, { known: series.length, horizon }], priors);
  if (all.length === 0) return null;
  const actual = origins.map((origin) => Float64Array.from(series.slice(origin.known, origin.known + origin.horizon)));
  const errors = all.map(({ paths }) => actual.map((values, i) => meanAbsoluteError(values, paths[i]!)));
  const getWeights = (omitted: number) =>
    weightsByError(errors.map((own) => mean(own.filter((_, i) => i !== omitted || own.length === 1)) || 0));
  const heldBackWeights = origins.map((_, i) => getWeights(i));
  const combineAt = (i: number, weights: number[]) =>
    combinePaths(
      all.map(({ paths }) => paths[i]!),
      weights,
    );
  const forecast = origins.map((_, i) => combineAt(i, heldBackWeights[i]!));
  const weights = getWeights(-1);
  const members = all.map(({ name, paths }, k) => ({ name, weight: weights[k]!, path: paths.at(-1)! }));
  const known = origins.map((origin) => origin.known);
  const heldBack = { actual, forecast, members: all, weights: heldBackWeights, known };
  return { path: combineAt(origins.length, weights), members, heldBack };
}
