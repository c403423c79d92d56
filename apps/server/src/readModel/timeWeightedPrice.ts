/** A price from a moment on, in Unix seconds. */
export type PricePoint = { time: number; price: number };

/**
 * The time-weighted geometric mean of a price over [start, end], as Uniswap v3's oracle weighs ticks (whitepaper, 5.2);
 * null when the first point is later than `start`: the window is not covered.
 *
 * @param points - Oldest first; times may repeat, then the last one counts.
 */
export function timeWeightedPrice(points: readonly PricePoint[], start: number, end: number): number | null {
  const first = points[0];
  if (first === undefined || first.time > start || end <= start) return null;
  let weighted = 0;
  for (const [index, point] of points.entries()) {
    const from = Math.max(point.time, start);
    const to = Math.min(points[index + 1]?.time ?? end, end);
    if (to > from) weighted += Math.log(point.price) * (to - from);
  }
  return Math.exp(weighted / (end - start));
}
