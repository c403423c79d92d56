import {
  type ArDesign,
  type ArPrior,
  accumulateGrams,
  buildRows,
  type Gram,
  reduceGram,
  robustWeights,
  solveGram,
} from "../src/forecast/hierarchicalAr.ts";
import { invertCholesky } from "../src/numeric/cholesky.ts";

type Statistics = { gram: Gram; variance: number };

function createWeakPrior(size: number): ArPrior {
  const precision = new Float64Array(size * size);
  for (let i = 0; i < size; i++) precision[i * size + i] = 0.1;
  return { mean: new Float64Array(size), precision, interceptVariance: 0.02 };
}

/** The maximisation: mean and covariance of the posteriors, with their own uncertainty. */
function maximise(
  means: Float64Array[],
  covariances: Float64Array[],
  size: number,
): Omit<ArPrior, "interceptVariance"> {
  const mean = new Float64Array(size);
  for (const each of means) for (let i = 0; i < size; i++) mean[i]! += each[i]! / means.length;
  const covariance = new Float64Array(size * size);
  for (const [k, each] of means.entries())
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++)
        covariance[i * size + j]! +=
          (covariances[k]![i * size + j]! + (each[i]! - mean[i]!) * (each[j]! - mean[j]!)) / means.length;
  for (let i = 0; i < size; i++) covariance[i * size + i]! += 1e-6;
  return { mean, precision: invertCholesky(covariance, size) };
}

/** One round over the sufficient statistics of all series. */
function improve(all: readonly Statistics[], prior: ArPrior, size: number): ArPrior {
  const means: Float64Array[] = [];
  const covariances: Float64Array[] = [];
  let squares = 0;
  let slots = 0;
  for (const { gram, variance } of all) {
    const { coefficients, intercepts } = solveGram(gram, prior, variance, 1);
    const { matrix } = reduceGram(gram, variance, prior.interceptVariance);
    for (let i = 0; i < matrix.length; i++) matrix[i]! += prior.precision[i]!;
    means.push(coefficients);
    covariances.push(invertCholesky(matrix, size));
    for (const [slot, intercept] of intercepts.entries()) {
      squares += intercept ** 2 + variance / (gram.ss[slot]! + variance / prior.interceptVariance);
      slots++;
    }
  }
  return { ...maximise(means, covariances, size), interceptVariance: (2 * squares) / slots };
}

/**
 * Learns the normal prior of a regression's coefficients over many standardised series by expectation maximisation
 * (Dempster, Laird & Rubin 1977; empirical Bayes for a hierarchical linear model, Lindley & Smith 1972). Recomputes the
 * robust weights with the prior of the first and of the fifth round.
 */
export function learnPrior(series: readonly Float64Array[], design: ArDesign, rounds = 12): ArPrior {
  const size = design.lags.length;
  let prior = createWeakPrior(size);
  let statistics: Statistics[] = [];
  const rows = series.map((values) => buildRows(values, design));
  for (let round = 0; round < rounds; round++) {
    if (round === 0 || round === 4)
      statistics = series.map((values, k) => {
        const { weights, variance } = robustWeights(values, rows[k]!, design, prior, { kappa: 1, rounds: 3 });
        const [gram] = accumulateGrams(values, rows[k]!, weights, design, [values.length]);
        return { gram: gram!, variance };
      });
    prior = improve(statistics, prior, size);
  }
  return prior;
}
