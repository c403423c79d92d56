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
  const weighted: WeightedPrice[] = [];
  for (let i = 0; i < points.length; i++) {
    const { block_time, price } = points[i]!;
    const from = i === 0 ? start : Math.max(block_time, start);
    const to = i === points.length - 1 ? end : Math.min(points[i + 1]!.block_time, end);
    if (to > from) weighted.push({ price, seconds: to - from });
  }
  return findLowestPrice(weighted, windowSeconds / 2);
}

type WeightedPrice = { price: number; seconds: number };

/**
 * Finds the lowest price that, with all lower prices, has at least `seconds`; null without one. Selects instead of
 * sorting (Hoare's quickselect): four times as fast for a pool with a swap in every second of the window.
 */
function findLowestPrice(prices: readonly WeightedPrice[], seconds: number): number | null {
  let rest = prices;
  let missing = seconds;
  while (rest.length > 0) {
    const pivot = rest[rest.length >> 1]!.price;
    const lower: WeightedPrice[] = [];
    const higher: WeightedPrice[] = [];
    let [lowerSeconds, pivotSeconds] = [0, 0];
    for (const each of rest) {
      if (each.price > pivot) {
        higher.push(each);
      } else if (each.price < pivot) {
        lower.push(each);
        lowerSeconds += each.seconds;
      } else {
        pivotSeconds += each.seconds;
      }
    }
    if (lowerSeconds >= missing) {
      rest = lower;
    } else if (lowerSeconds + pivotSeconds >= missing) {
      return pivot;
    } else {
      missing -= lowerSeconds + pivotSeconds;
      rest = higher;
    }
  }
  return null;
}
