type Bar = { open: number; high: number; low: number; close: number };

export type Barriers = {
  direction: "long" | "short";
  /** Prices of the barriers. */
  stopLoss: number;
  takeProfit: number;
  /** The number of bars after which a position ends at the close of the last bar. */
  timeLimit: number;
};

export type Exit = { reason: "stop_loss" | "take_profit" | "time_limit"; index: number; price: number };

/**
 * The exit of a position by the first barrier that a price reaches (López de Prado 2018, ch. 3). A bar does not show
 * the order of its prices: when it reaches both barriers, the stop counts. A bar that opens beyond a barrier exits at
 * its open.
 *
 * @param bars in order of time
 * @param entry the index of the bar at whose open the position begins
 * @returns null when no barrier is reached and the bars end before the time limit
 */
export function resolveTripleBarrier(
  bars: readonly Bar[],
  entry: number,
  { direction, stopLoss, takeProfit, timeLimit }: Barriers,
): Exit | null {
  const sign = direction === "long" ? 1 : -1;
  const worst = (bar: Bar) => (sign > 0 ? bar.low : bar.high);
  const best = (bar: Bar) => (sign > 0 ? bar.high : bar.low);
  for (let index = entry; index < Math.min(bars.length, entry + timeLimit); index++) {
    const bar = bars[index]!;
    if (sign * (bar.open - stopLoss) <= 0) return { reason: "stop_loss", index, price: bar.open };
    if (sign * (bar.open - takeProfit) >= 0) return { reason: "take_profit", index, price: bar.open };
    if (sign * (worst(bar) - stopLoss) <= 0) return { reason: "stop_loss", index, price: stopLoss };
    if (sign * (best(bar) - takeProfit) >= 0) return { reason: "take_profit", index, price: takeProfit };
  }
  const index = entry + timeLimit - 1;
  const last = bars[index];
  return last === undefined ? null : { reason: "time_limit", index, price: last.close };
}
