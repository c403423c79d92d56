const coefficients = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** ln Γ(x) for x > 0 by Lanczos' approximation (g = 7, 9 terms), accurate to about 1e-14. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum: number = coefficients[0];
  for (let i = 1; i < coefficients.length; i++) sum += coefficients[i]! / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** P(Z > x) of a standard normal variable: series near 0, continued fraction in the tails (Abramowitz & Stegun 26.2). */
export function normalSurvival(x: number): number {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < 3) {
    let term = x;
    let sum = x;
    for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(sum); k += 2) {
      term *= (x * x) / k;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  const size = Math.abs(x);
  let fraction = size;
  for (let k = 60; k > 0; k--) fraction = size + k / fraction;
  return x > 0 ? density / fraction : 1 - density / fraction;
}

/** P(Z <= x) of a standard normal variable. */
export function normalCdf(x: number): number {
  return normalSurvival(-x);
}

/** The quantile of a standard normal variable, by Newton's method on the distribution; infinite at 0 and 1. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1))
    return probability === 0 ? -Infinity : probability === 1 ? Infinity : Number.NaN;
  if (probability > 0.5) return -normalQuantile(1 - probability);
  // Starts in the tail, where Newton steps on ln P are monotone.
  let x = -Math.sqrt(-2 * Math.log(probability));
  for (let i = 0; i < 40; i++) {
    const below = normalCdf(x);
    const step = (below * Math.log(below / probability) * Math.sqrt(2 * Math.PI)) / Math.exp((-x * x) / 2);
    x -= step;
    if (Math.abs(step) < 1e-14 * Math.max(1, Math.abs(x))) break;
  }
  return x;
}

/** P(X > x) of a chi-square variable with 1 or 2 degrees of freedom. */
export function chiSquareSurvival(x: number, degrees: 1 | 2): number {
  if (!(x > 0)) return 1;
  return degrees === 2 ? Math.exp(-x / 2) : 2 * normalSurvival(Math.sqrt(x));
}

/** P(X <= successes) of a binomial variable. */
export function binomialCdf(successes: number, trials: number, probability: number): number {
  let sum = 0;
  for (let k = 0; k <= Math.min(successes, trials); k++)
    sum += Math.exp(
      logGamma(trials + 1) -
        logGamma(k + 1) -
        logGamma(trials - k + 1) +
        k * Math.log(probability) +
        (trials - k) * Math.log1p(-probability),
    );
  return Math.min(1, sum);
}
