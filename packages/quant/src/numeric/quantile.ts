/** The arithmetic mean; NaN for an empty list. Summed in order, so that equal input gives equal bytes. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** The sample standard deviation (divisor n - 1); 0 for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - center) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/** A sorted copy, in ascending order. */
export function toSorted(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/**
 * The quantile of sorted values by linear interpolation between order statistics (Hyndman & Fan 1996, type 7).
 *
 * @param probability 0..1
 * @returns NaN for an empty list
 */
export function quantileSorted(sorted: ArrayLike<number>, probability: number): number {
  const position = (sorted.length - 1) * probability;
  const below = Math.floor(position);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (position - below);
}

/** The quantile of values in any order; see `quantileSorted`. */
export function quantile(values: ArrayLike<number>, probability: number): number {
  return quantileSorted(toSorted(values), probability);
}

/** The median; NaN for an empty list. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}
