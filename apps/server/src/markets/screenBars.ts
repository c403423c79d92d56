import type { Bar, BarInterval } from "./readBars.ts";

/** Why a bar is rejected. `jump`: the next bar has not confirmed its price, yet or at all. */
export type BarFault = "not_finite" | "not_positive" | "impossible" | "misaligned" | "future" | "duplicate" | "jump";

/** Maximum distance of a close from the last close, in median hourly moves. */
const maxMoves = 20;
/** Minimum for the median move, in log return, because the price between two dollar coins hardly changes. */
const leastMove = 1e-4;
/** Minimum number of moves for a meaningful median. */
const leastMoves = 12;

/** State of a market before the screened bars. */
export type KnownPrices = {
  /** The close of the last stored bar before the screened bars; null if none is stored. */
  lastClose: number | null;
  /** The median absolute log return of an hour; null with too few hours. */
  medianMove: number | null;
};

export type Screened = {
  accepted: Bar[];
  refused: { bar: Bar; fault: BarFault }[];
  /** The time of the last bar if it is held back until the next bar confirms its price; otherwise null. */
  heldAt: number | null;
};

/**
 * Rejects invalid bars, and holds back a price far from the last price until the next bar confirms the price.
 *
 * @param bars - Closed bars, ascending.
 */
export function screenBars(
  bars: readonly Bar[],
  known: KnownPrices,
  { interval, nowSeconds }: { interval: BarInterval; nowSeconds: number },
): Screened {
  const screened: Screened = { accepted: [], refused: [], heldAt: null };
  const maxMove =
    known.medianMove === null ? Number.POSITIVE_INFINITY : maxMoves * Math.max(known.medianMove, leastMove);
  const isNear = (a: number, b: number) => Math.abs(Math.log(a / b)) <= maxMove;
  let last = known.lastClose;
  let heldBar: Bar | null = null;
  let lastTime = Number.NEGATIVE_INFINITY;
  for (const bar of bars) {
    const fault = bar.time === lastTime ? "duplicate" : findBarFault(bar, interval, nowSeconds);
    if (fault !== null) {
      screened.refused.push({ bar, fault });
      continue;
    }
    lastTime = bar.time;
    if (heldBar !== null && isNear(bar.close, heldBar.close) && !isNear(bar.close, last!)) {
      screened.accepted.push(heldBar, bar);
    } else {
      // The price returned to the last price or moved elsewhere: this bar does not confirm the held-back bar.
      if (heldBar !== null) screened.refused.push({ bar: heldBar, fault: "jump" });
      if (last !== null && !isNear(bar.close, last)) {
        heldBar = bar;
        continue;
      }
      screened.accepted.push(bar);
    }
    heldBar = null;
    last = bar.close;
  }
  if (heldBar !== null) {
    screened.refused.push({ bar: heldBar, fault: "jump" });
    screened.heldAt = heldBar.time;
  }
  return screened;
}

/** Returns why a single bar is invalid; null for a valid bar. */
export function findBarFault(bar: Bar, interval: BarInterval, nowSeconds: number): BarFault | null {
  const { time, open, high, low, close, volume, quoteVolume, trades } = bar;
  if (![time, open, high, low, close, volume, quoteVolume ?? 0, trades ?? 0].every(Number.isFinite))
    return "not_finite";
  if (Math.min(open, high, low, close) <= 0) return "not_positive";
  if (high < low || high < Math.max(open, close) || low > Math.min(open, close)) return "impossible";
  if (volume < 0 || (quoteVolume ?? 0) < 0 || (trades ?? 0) < 0) return "impossible";
  if (time % interval !== 0 || time < 0) return "misaligned";
  return time + interval > nowSeconds ? "future" : null;
}

/** Returns the median absolute log return of consecutive hours; null for too few hours. @param hours - Ascending. */
export function getMedianMove(hours: readonly Pick<Bar, "time" | "close">[]): number | null {
  const moves: number[] = [];
  for (let at = 1; at < hours.length; at++) {
    const before = hours[at - 1]!;
    const after = hours[at]!;
    if (after.time - before.time === 3600) moves.push(Math.abs(Math.log(after.close / before.close)));
  }
  const sorted = moves.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length < leastMoves ? null : sorted[Math.floor(sorted.length / 2)]!;
}
