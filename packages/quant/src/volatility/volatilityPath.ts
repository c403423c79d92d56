import type { Days } from "./dailyVariances.ts";
import { ewmaVariance } from "./ewma.ts";
import { fitGarch, type GarchFit, garchVariance } from "./garch.ts";
import { fitHar, forecastHar, type HarFit } from "./har.ts";

/**
 * One-day-ahead variances by day: entry t is the forecast for day t from the days before it; NaN without a forecast.
 */
export type VolatilityPath = {
  ewma: Float64Array;
  /** HAR on mean ranges. The published volatility is HAR on logs of ranges, which a single violent hour moves less. */
  har: Float64Array;
  garch: Float64Array;
  /** The geometric mean of HAR and GARCH, which scales value at risk; only HAR while GARCH has no fit. */
  combined: Float64Array;
  /** The fits in force on each day; null without a fit, or when the search did not converge. */
  harFits: (HarFit | null)[];
  garchFits: (GarchFit | null)[];
};

/** A stored forecast with its own new fits; both are used unchanged. */
export type KnownVolatility = { har: number; garch: number; harFit: HarFit | null; garchFit: GarchFit | null };

const day = 86_400;
const month = 30;
/** The first day with a fit on earlier days only: later forecasts are out of sample. */
export const firstFit = 100;
const harEvery = 7;
const garchEvery = 30;
const garchDays = 730;

/**
 * Whether two times are in different periods of `days` days: fits are due by the calendar, independent of the first
 * bar.
 */
const isDue = (last: number, now: number, days: number) =>
  Math.floor(last / (days * day)) !== Math.floor(now / (days * day));

/** GARCH(1,1)-t over the last two years before `t`, from the fit before it; null when the search did not converge. */
function refitGarch(returns: Float64Array, t: number, start: GarchFit | null): GarchFit | null {
  const window = returns.subarray(Math.max(0, t - garchDays), t);
  const fit = start && fitGarch(window, { isStudent: true, start });
  if (fit?.converged) return fit;
  const anew = fitGarch(window, { isStudent: true });
  return anew?.converged ? anew : null;
}

/** The fits in force, and the ends of the days at which they were made. */
type Fits = { har: HarFit | null; garch: GarchFit | null; harAt: number; garchAt: number };

/**
 * The fits for the forecast of day `t`: the fits stored with it, or new fits when they are due.
 *
 * @returns whether GARCH was fitted
 */
function updateFits(fits: Fits, days: Days, t: number, stored: KnownVolatility | undefined): boolean {
  const made = days.end[t - 1]!;
  const fitsHar = stored ? stored.harFit !== null : fits.har === null || isDue(fits.harAt, made, harEvery);
  if (fitsHar) {
    fits.har = stored?.harFit ?? fitHar(days, t) ?? fits.har;
    fits.harAt = made;
  }
  const fitsGarch = stored ? stored.garchFit !== null : fits.garch === null || isDue(fits.garchAt, made, garchEvery);
  if (fitsGarch) {
    fits.garch = stored?.garchFit ?? refitGarch(days.returns, t, fits.garch);
    fits.garchAt = made;
  }
  if (stored && Number.isNaN(stored.garch)) fits.garch = null;
  return fitsGarch;
}

/** Fills the days before the first fits with in-sample forecasts, so that residuals begin early. */
function fillStart(path: VolatilityPath, days: Days, har: HarFit | null, garch: GarchFit | null): void {
  const variance = garch && garchVariance(days.returns.subarray(0, firstFit), garch);
  for (let t = month; t < firstFit; t++) {
    if (har) path.har[t] = forecastHar(har, days, t - 1);
    if (variance) path.garch[t] = variance[t]!;
  }
}

/**
 * The volatility forecasts of each day from earlier data: HAR is refitted every week on all days before, GARCH every 30
 * days on two years. Days 30 to 99 use the first fits, whose sample includes them. A GARCH search that does not
 * converge gives no forecast, and is repeated the next day.
 *
 * @param known stored forecasts by the end of the day at which they were made
 * @returns arrays one longer than the days: the last entry is the forecast for the next day
 */
export function computeVolatilityPath(
  days: Days,
  known: ReadonlyMap<number, KnownVolatility> = new Map(),
): VolatilityPath {
  const { returns, end } = days;
  const count = returns.length;
  const empty = () => new Float64Array(count + 1).fill(Number.NaN);
  const path: VolatilityPath = {
    ewma: ewmaVariance(returns),
    har: empty(),
    garch: empty(),
    combined: empty(),
    harFits: new Array(count + 1).fill(null),
    garchFits: new Array(count + 1).fill(null),
  };
  const fits: Fits = { har: null, garch: null, harAt: 0, garchAt: 0 };
  for (let t = firstFit; t <= count; t++) {
    const stored = known.get(end[t - 1]!);
    const isNew = updateFits(fits, days, t, stored);
    const { har, garch } = fits;
    if (t === firstFit) fillStart(path, days, har, garch);
    if (stored) {
      path.har[t] = stored.har;
      path.garch[t] = stored.garch;
    } else {
      if (har) path.har[t] = forecastHar(har, days, t - 1);
      if (garch) path.garch[t] = forecastGarch(garch, returns, t, isNew ? Number.NaN : path.garch[t - 1]!);
    }
    path.harFits[t] = har;
    path.garchFits[t] = garch;
  }
  for (let t = 0; t <= count; t++)
    path.combined[t] = Number.isNaN(path.garch[t]!) ? path.har[t]! : Math.sqrt(path.har[t]! * path.garch[t]!);
  return path;
}

/** The variance of day `t` from the variance before it; if that is unknown, from two years of returns. */
function forecastGarch(garch: GarchFit, returns: Float64Array, t: number, before: number): number {
  if (Number.isNaN(before)) return garchVariance(returns.subarray(Math.max(0, t - garchDays), t), garch).at(-1)!;
  return garch.omega + garch.alpha * (returns[t - 1]! - garch.mu) ** 2 + garch.beta * before;
}
