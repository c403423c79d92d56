const matches = 8;

/** The ends of the windows nearest to the last window, by squared distance after the removal of their means. */
function nearestEnds(values: Float64Array, length: number, ahead: number): { end: number; level: number }[] {
  const n = values.length;
  const sums = new Float64Array(n + 1);
  for (let t = 0; t < n; t++) sums[t + 1] = sums[t]! + values[t]!;
  const getLevel = (end: number) => (sums[end]! - sums[end - length]!) / length;
  const last = getLevel(n);
  const found: { end: number; level: number; distance: number }[] = [];
  for (let end = length; end + ahead <= n; end++) {
    const level = getLevel(end);
    let distance = 0;
    for (let i = 1; i <= length; i++) distance += (values[end - i]! - level - values[n - i]! + last) ** 2;
    found.push({ end, level, distance });
  }
  return found.sort((a, b) => a.distance - b.distance || b.end - a.end).slice(0, matches);
}

/**
 * Analogues (Lorenz 1969): the mean continuation of the eight windows of two days that are most similar to the last
 * window, after the removal of levels. Longer horizons repeat the step on the extended series.
 *
 * @param values the history on the model's scale, at least four values; a window is at most a quarter of it
 * @param day values in a day
 */
export function forecastAnalogue(values: Float64Array, day: number, horizon: number): Float64Array {
  const length = Math.min(2 * day, Math.floor(values.length / 4));
  const path = new Float64Array(values.length + horizon);
  path.set(values);
  for (let from = values.length; from < path.length; from += length) {
    const ahead = Math.min(length, path.length - from);
    const history = path.subarray(0, from);
    const ends = nearestEnds(history, length, ahead);
    let level = 0;
    for (let i = 1; i <= length; i++) level += history[from - i]! / length;
    for (let h = 0; h < ahead; h++) {
      let sum = 0;
      for (const match of ends) sum += history[match.end + h]! - match.level;
      path[from + h] = level + sum / ends.length;
    }
  }
  return path.slice(values.length);
}
