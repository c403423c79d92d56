/**
 * The share of the values of a window below each value, ties counted by half: `percentileRank` of every window, by a
 * Fenwick tree over the order of all values.
 *
 * @param values NaN is not part of any window and has no rank
 * @param window the length of a window, the value's own place included
 * @param minCount the minimum number of known values in a window
 * @returns 0..1; NaN without a rank
 */
export function slidingRanks(values: Float64Array, window: number, minCount: number): Float64Array {
  // NaN is sorted to the end.
  const sorted = values.slice().sort();
  const size = sorted.length;
  const places = new Int32Array(size);
  for (let t = 0; t < size; t++) places[t] = Number.isNaN(values[t]!) ? 0 : findPlace(sorted, values[t]!);
  const tree = new Int32Array(size + 1);
  const ranks = new Float64Array(size).fill(Number.NaN);
  let count = 0;
  for (let t = 0; t < size; t++) {
    const place = places[t]!;
    if (place > 0) {
      for (let i = place; i <= size; i += i & -i) tree[i]!++;
      count++;
    }
    const old = t < window ? 0 : places[t - window]!;
    if (old > 0) {
      for (let i = old; i <= size; i += i & -i) tree[i]!--;
      count--;
    }
    if (place === 0 || count < minCount) continue;
    let [below, upTo] = [0, 0];
    for (let i = place - 1; i > 0; i -= i & -i) below += tree[i]!;
    for (let i = place; i > 0; i -= i & -i) upTo += tree[i]!;
    ranks[t] = (below + upTo) / 2 / count;
  }
  return ranks;
}

/** The first place of a value among sorted ones, from 1. */
function findPlace(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    // NaN sorts after all numbers.
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}
