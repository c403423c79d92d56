/** The exponent of the weights (e_best / e): chosen on held-back data. */
const sharpness = 3;

/** Weights that sum to 1 from mean absolute errors: (e_best / e)^3. Equal weights without errors. */
export function weightsByError(errors: readonly number[]): number[] {
  const best = Math.min(...errors);
  // Errors of 0 get equal weights.
  const floor = Math.max(best, 1e-12 * Math.max(...errors));
  const raw = errors.map((error) => (error <= floor ? 1 : (floor / error) ** sharpness));
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight) => weight / sum);
}

/** The weighted median: the value at which the cumulative sorted weights pass one half. */
function weightedMedian(values: readonly number[], weights: readonly number[]): number {
  const order = values.map((_, k) => k).sort((a, b) => values[a]! - values[b]! || a - b);
  let passed = 0;
  for (const [place, k] of order.entries()) {
    passed += weights[k]!;
    if (passed > 0.5 + 1e-12) return values[k]!;
    if (passed >= 0.5 - 1e-12) return (values[k]! + values[order[place + 1] ?? k]!) / 2;
  }
  return values[order.at(-1)!]!;
}

/**
 * Combines paths to one: at each step half of the weighted mean plus half of the weighted median, so that one outlying
 * member moves the result by half of its weight only.
 */
export function combinePaths(paths: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const values = new Array<number>(paths.length);
  return Float64Array.from({ length: paths[0]?.length ?? 0 }, (_, h) => {
    let mean = 0;
    for (const [k, path] of paths.entries()) {
      values[k] = path[h]!;
      mean += weights[k]! * path[h]!;
    }
    return (mean + weightedMedian(values, weights)) / 2;
  });
}
