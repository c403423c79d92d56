/**
 * Returns uniform numbers in [0, 1). This package has no randomness: the caller passes a generator, seeded if
 * necessary.
 */
export type Uniform = () => number;

/**
 * Indices of one resample of the stationary bootstrap (Politis & Romano 1994, JASA 89): blocks with random starts and
 * geometric lengths, wrapped at the end, so that dependence within about a block is preserved.
 *
 * @param length of the sample and of the resample
 * @param meanBlock mean length of blocks, at least 1
 */
export function stationaryBootstrap(length: number, meanBlock: number, uniform: Uniform): Int32Array {
  const indices = new Int32Array(length);
  let index = 0;
  for (let t = 0; t < length; t++) {
    const isNew = t === 0 || uniform() * meanBlock < 1;
    index = isNew ? Math.floor(uniform() * length) : (index + 1) % length;
    indices[t] = index;
  }
  return indices;
}

/**
 * The confidence interval of a mean by the percentiles of resampled means.
 *
 * @param level 0..1, e.g. 0.95
 */
export function bootstrapMeanInterval(
  values: readonly number[],
  options: { level: number; meanBlock: number; resamples: number; uniform: Uniform },
): { lower: number; upper: number } {
  const { level, meanBlock, resamples, uniform } = options;
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (const index of stationaryBootstrap(values.length, meanBlock, uniform)) sum += values[index]!;
    return sum / values.length;
  }).sort();
  const at = (share: number) => means[Math.min(resamples - 1, Math.max(0, Math.floor(share * resamples)))]!;
  return { lower: at((1 - level) / 2), upper: at((1 + level) / 2) };
}
