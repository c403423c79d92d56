import { factorCholesky, solveCholesky } from "../numeric/cholesky.ts";
import { mean, median, standardDeviation } from "../numeric/quantile.ts";

/**
 * The effect of covariates on a series: subtracted from the values of the history, or from their logarithms, and added
 * to the forecast.
 */
export type CovariateEffect = {
  isLog: boolean;
  /** The effect at each value of the history and of the forecast. */
  effect: Float64Array;
  /** Mean absolute one-step error with the covariates / without them, on values excluded from the regression. */
  relativeError: number;
};

type Rows = { columns: Float64Array[]; target: Float64Array };

const folds = 5;
const ridge = 1e-4;
const robustRounds = 3;
const residualFloor = 0.4;
const maxAutocorrelation = 0.98;
/** Rows for each covariate, below which no effect is estimated. */
const rowsForEach = 8;
/** Minimum of the mean gain in its standard errors: two scales are compared, and several covariates are possible. */
const minGain = 2.5;

/**
 * Covariates with mean 0 and deviation 1 in the history. Future values are clamped to the range of the history,
 * extended by half of it, because no linear effect is known far outside of it.
 */
function standardiseCovariates(covariates: readonly (readonly number[])[], known: number): Float64Array[] {
  return covariates.flatMap((values) => {
    let largest = 0;
    for (const value of values) largest = Math.max(largest, Math.abs(value));
    if (largest === 0) return [];
    const scaled = values.map((value) => value / largest);
    const history = scaled.slice(0, known);
    const [low, high] = [Math.min(...history), Math.max(...history)];
    const deviation = standardDeviation(history);
    // A covariate that was constant until now has no measurable effect.
    if (!(deviation > 1e-9)) return [];
    const center = mean(history);
    const margin = (high - low) / 2;
    return [
      Float64Array.from(
        scaled,
        (value) => (Math.min(Math.max(value, low - margin), high + margin) - center) / deviation,
      ),
    ];
  });
}

const difference = (values: Float64Array, lag: number, share: number) =>
  Float64Array.from({ length: values.length - lag }, (_, t) => values[t + lag]! - share * values[t]!);

/** Least absolute errors by reweighting over the rows that `isUsed` selects, with a small ridge. */
function fitRobust({ columns, target }: Rows, isUsed: (row: number) => boolean): Float64Array {
  const size = columns.length;
  const weights = new Float64Array(target.length).fill(1);
  let coefficients: Float64Array = new Float64Array(size);
  for (let round = 0; round <= robustRounds; round++) {
    const matrix = new Float64Array(size * size);
    const right = new Float64Array(size);
    for (let t = 0; t < target.length; t++) {
      if (!isUsed(t)) continue;
      for (let i = 0; i < size; i++) {
        const x = weights[t]! * columns[i]![t]!;
        for (let j = 0; j <= i; j++) matrix[i * size + j]! += x * columns[j]![t]!;
        right[i]! += x * target[t]!;
      }
    }
    for (let i = 0; i < size; i++) matrix[i * size + i]! += ridge * target.length;
    coefficients = solveCholesky(factorCholesky(matrix, size), size, right);
    const residuals = target.map((value, t) => Math.abs(value - predict(columns, coefficients, t)));
    const floor = residualFloor * mean(residuals) + 1e-12;
    for (let t = 0; t < weights.length; t++) weights[t] = floor / Math.max(residuals[t]!, floor);
  }
  return coefficients;
}

function predict(columns: readonly Float64Array[], coefficients: Float64Array, t: number): number {
  let sum = 0;
  for (const [i, column] of columns.entries()) sum += coefficients[i]! * column[t]!;
  return sum;
}

/** Removes the season, then the autocorrelation of what the covariates do not explain (Cochrane & Orcutt 1949). */
function createRows(values: Float64Array, covariates: readonly Float64Array[], season: number | null): Rows {
  const lag = season ?? 1;
  const columns = covariates.map((each) => difference(each.subarray(0, values.length), lag, 1));
  const target = difference(values, lag, 1);
  if (season === null) return { columns, target };
  const coefficients = fitRobust({ columns, target }, () => true);
  const residuals = target.map((value, t) => value - predict(columns, coefficients, t));
  let [product, square] = [0, 0];
  for (let t = 1; t < residuals.length; t++) {
    product += residuals[t]! * residuals[t - 1]!;
    square += residuals[t - 1]! ** 2;
  }
  const share = square > 0 ? Math.min(Math.max(product / square, 0), maxAutocorrelation) : 0;
  return { columns: columns.map((each) => difference(each, 1, share)), target: difference(target, 1, share) };
}

/** The gain of the covariates on rows excluded from the regression, in standard errors, and the ratio of the errors. */
function evaluate(rows: Rows): { gain: number; relativeError: number } {
  const { columns, target } = rows;
  const foldOf = (t: number) => Math.floor((t * folds) / target.length);
  const gains: number[] = [];
  let [without, withThem] = [0, 0];
  for (let fold = 0; fold < folds; fold++) {
    const coefficients = fitRobust(rows, (t) => foldOf(t) !== fold);
    for (let t = 0; t < target.length; t++) {
      if (foldOf(t) !== fold) continue;
      const error = Math.abs(target[t]! - predict(columns, coefficients, t));
      gains.push(Math.abs(target[t]!) - error);
      without += Math.abs(target[t]!);
      withThem += error;
    }
  }
  const deviation = standardDeviation(gains);
  const gain = deviation > 0 ? (mean(gains) / deviation) * Math.sqrt(gains.length) : 0;
  return { gain, relativeError: without > 0 ? withThem / without : 1 };
}

/**
 * Estimates the linear effect of covariates with known future values on a series or on its logarithms: a robust
 * regression on differences without season and autocorrelation.
 *
 * @param series finite values, scaled so that products stay finite
 * @param covariates each with one finite value for each value of the series and of the forecast
 * @param season the number of values in a season, or null for a series without one
 * @returns null when the covariates do not reduce the error on excluded values by more than chance
 */
export function estimateCovariateEffect(
  series: readonly number[],
  covariates: readonly (readonly number[])[],
  season: number | null,
): CovariateEffect | null {
  const standard = standardiseCovariates(covariates, series.length);
  const rowCount = series.length - (season ?? 1) - 1;
  if (standard.length === 0 || rowCount < rowsForEach * (standard.length + 1)) return null;
  const scales = series.every((value) => value > 0) ? [false, true] : [false];
  let best: (CovariateEffect & { gain: number }) | null = null;
  for (const isLog of scales) {
    const values = Float64Array.from(series, isLog ? Math.log : undefined);
    const rows = createRows(values, standard, season);
    const { gain, relativeError } = evaluate(rows);
    if (gain < minGain || (best !== null && relativeError >= best.relativeError)) continue;
    const coefficients = fitRobust(rows, () => true);
    const effect = Float64Array.from({ length: standard[0]!.length }, (_, t) => predict(standard, coefficients, t));
    // Centred on the history, so that the remainder has the size of the series.
    const center = median(effect.subarray(0, series.length));
    best = { isLog, effect: effect.map((value) => value - center), relativeError, gain };
  }
  return best && { isLog: best.isLog, effect: best.effect, relativeError: best.relativeError };
}
