/** Length of the window, in seconds. */
export const windowSeconds = 600;

/** A price of the ETH/USD pool at the end of a block, and the block's time in Unix seconds. */
export type PricePoint = { block_time: number; price: number };

/**
 * Returns the ETH/USD price that all USD figures use: the time-weighted median of the pool's price over the
 * `windowSeconds` before `end`. A price counts for the seconds from its block to the next point, so the price of a block
 * at `end` does not count yet. The first price also counts for the time before it. Null without a point.
 *
 * Prices that the pool has for less than half of the window cannot move the result beyond the other prices of the
 * window (docs/models.md, ETH/USD). If both halves are equal, the lower price counts.
 *
 * @param points - Oldest first.
 * @param end - Unix seconds, not before the last point.
 */
export function getWindowPrice(points: readonly PricePoint[], end: number): number | null {
  const start = end - windowSeconds;
  const weighted: { price: number; seconds: number }[] = [];
  for (const [index, { block_time, price }] of points.entries()) {
    const from = index === 0 ? start : Math.max(block_time, start);
    const to = Math.min(points[index + 1]?.block_time ?? end, end);
    if (to > from) weighted.push({ price, seconds: to - from });
  }
  weighted.sort((a, b) => a.price - b.price);
  let seconds = 0;
  for (const each of weighted) {
    seconds += each.seconds;
    if (2 * seconds >= windowSeconds) return each.price;
  }
  return null;
}
