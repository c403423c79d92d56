import { mean } from "../numeric/quantile.ts";
import { combinePaths, weightsByError } from "./combineByHeldBack.ts";
import { forecastMembers, type MemberPaths, type Origin, type Priors } from "./forecastMembers.ts";
import { getHeldBackLength, type Periods } from "./periods.ts";

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
  weights: number[][];
  /** The number of values before each origin. */
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
