import { logGamma } from "../numeric/distributions.ts";
import { minimise } from "../numeric/nelderMead.ts";
import { mean } from "../numeric/quantile.ts";

/**
 * r_t = mu + e_t, h_t = omega + alpha e²_{t-1} + beta h_{t-1}; `degrees` of Student's t, infinite for the normal
 * distribution.
 */
export type GarchParameters = { mu: number; omega: number; alpha: number; beta: number; degrees: number };

export type GarchFit = GarchParameters & {
  logLikelihood: number;
  /** Whether the search reached its tolerance; a fit that did not must not be published. */
  converged: boolean;
};

/**
 * The conditional variances of returns. The first one uses the mean squared residual for the residual and variance
 * before it (Fiorentini, Calzolari & Panattoni 1996).
 *
 * @returns one value for each return, and one more: the forecast for the next return
 */
export function garchVariance(returns: ArrayLike<number>, { mu, omega, alpha, beta }: GarchParameters): Float64Array {
  const variance = new Float64Array(returns.length + 1);
  let start = 0;
  for (let t = 0; t < returns.length; t++) start += (returns[t]! - mu) ** 2 / returns.length;
  variance[0] = omega + (alpha + beta) * start;
  for (let t = 0; t < returns.length; t++)
    variance[t + 1] = omega + alpha * (returns[t]! - mu) ** 2 + beta * variance[t]!;
  return variance;
}

/** Factors between two logarithms: the logarithm of a product costs as much as the logarithm of one factor. */
const batch = 8;

/**
 * The log-likelihood of the normal distribution, or of Student's t scaled to variance 1 (Bollerslev 1987).
 *
 * @param unit a typical variance: products of a batch of variances divided by it neither overflow nor underflow
 */
export function garchLogLikelihood(returns: ArrayLike<number>, parameters: GarchParameters, unit = 1): number {
  const { mu, omega, alpha, beta, degrees } = parameters;
  const n = returns.length;
  const isNormal = !Number.isFinite(degrees);
  let variance = 0;
  for (let t = 0; t < n; t++) variance += (returns[t]! - mu) ** 2 / n;
  variance = omega + (alpha + beta) * variance;
  let [logVariances, logTails, squares, variances, tails] = [0, 0, 0, 1, 1];
  for (let t = 0; t < n; t++) {
    const square = (returns[t]! - mu) ** 2;
    variances *= variance / unit;
    if (isNormal) squares += square / variance;
    else tails *= 1 + square / (variance * (degrees - 2));
    if (t % batch === batch - 1 || t === n - 1) {
      logVariances += Math.log(variances);
      logTails += Math.log(tails);
      variances = 1;
      tails = 1;
    }
    variance = omega + alpha * square + beta * variance;
  }
  const half = (logVariances + n * Math.log(unit)) / 2;
  if (isNormal) return -half - (n * Math.log(2 * Math.PI) + squares) / 2;
  const exponent = (degrees + 1) / 2;
  const constant = logGamma(exponent) - logGamma(degrees / 2) - 0.5 * Math.log(Math.PI * (degrees - 2));
  return n * constant - half - exponent * logTails;
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
const logit = (p: number) => Math.log(p / (1 - p));

/** Parameters from unbounded numbers: positive omega, alpha + beta < 1, degrees > 2. */
function toParameters(point: readonly number[], unit: number, center: number): GarchParameters {
  const persistence = logistic(point[2]!);
  const alpha = persistence * logistic(point[3]!);
  return {
    mu: center + point[0]! * Math.sqrt(unit),
    omega: unit * Math.exp(point[1]!),
    alpha,
    beta: persistence - alpha,
    degrees: point.length > 4 ? 2.05 + Math.exp(point[4]!) : Infinity,
  };
}

/**
 * Fits GARCH(1,1) by maximum likelihood (Bollerslev 1986; with Student's t, Bollerslev 1987), alpha + beta below 1.
 *
 * @param start parameters of an earlier fit of nearly the same returns, which need fewer evaluations
 * @returns null for fewer than 100 returns, and for returns that are all equal
 */
export function fitGarch(
  returns: ArrayLike<number>,
  { isStudent, start }: { isStudent: boolean; start?: GarchParameters | undefined },
): GarchFit | null {
  if (returns.length < 100) return null;
  const center = mean(returns);
  let unit = 0;
  for (let t = 0; t < returns.length; t++) unit += (returns[t]! - center) ** 2 / returns.length;
  // Equal returns differ from their mean by rounding errors only.
  if (!(unit > 1e-24 * center ** 2)) return null;
  const first = start ?? { mu: center, omega: 0.05 * unit, alpha: 0.08, beta: 0.87, degrees: isStudent ? 6 : Infinity };
  const persistence = Math.min(first.alpha + first.beta, 1 - 1e-9);
  const point = [
    (first.mu - center) / Math.sqrt(unit),
    Math.log(first.omega / unit),
    logit(persistence),
    logit(Math.min(Math.max(first.alpha / persistence, 1e-6), 1 - 1e-6)),
    ...(isStudent ? [Math.log(Math.max(first.degrees, 2.1) - 2.05)] : []),
  ];
  const objective = (each: readonly number[]) => -garchLogLikelihood(returns, toParameters(each, unit, center), unit);
  const scale = start ? 0.3 : 1;
  const steps = [0.1, 0.5, 0.5, 0.5, 0.5].slice(0, point.length).map((step) => step * scale);
  let found = minimise(objective, point, steps, { tolerance: start ? 1e-8 : 1e-10 });
  // From a distant start a simplex can collapse beside the optimum, so the search is repeated around its result.
  if (!start) {
    const smaller = steps.map((step) => step / 4);
    found = minimise(objective, found.point, smaller);
  }
  return { ...toParameters(found.point, unit, center), logLikelihood: -found.value, converged: found.converged };
}

/** The standard deviations 1..`steps` ahead: h_{k+1} = omega + (alpha + beta) h_k from the next variance. */
export function garchDeviations(next: number, { omega, alpha, beta }: GarchParameters, steps: number): number[] {
  const deviations: number[] = [];
  for (let variance = next; deviations.length < steps; variance = omega + (alpha + beta) * variance)
    deviations.push(Math.sqrt(variance));
  return deviations;
}
