import type { Bar, BarInterval } from "./readBars.ts";

/** Why a bar is refused. `jump`: its price is not confirmed yet, or was not. */
export type BarFault = "not_finite" | "not_positive" | "impossible" | "misaligned" | "future" | "duplicate" | "jump";

/** How many median hourly moves a close may be from the last one. */
const maxMoves = 20;
/** Minimum move, in log return: prices of two dollar coins hardly change. */
const leastMove = 1e-4;
/** Minimum number of moves for a meaningful median. */
const leastMoves = 12;

/** State of a market before the screened bars. */
export type KnownPrices = {
  /** The close of the last stored bar before them; null when there is none. */
  lastClose: number | null;
  /** The median absolute log return of an hour; null when too few are known. */
  medianMove: number | null;
};

export type Screened = {
  accepted: Bar[];
  refused: { bar: Bar; fault: BarFault }[];
  /** The time of the last bar when only the next one can confirm its price. */
  heldAt: number | null;
};

/**
 * Refuses invalid bars, and holds back a price far from the last one until the next bar confirms it.
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
  let held: Bar | null = null;
  let lastTime = Number.NEGATIVE_INFINITY;
  for (const bar of bars) {
    const fault = bar.time === lastTime ? "duplicate" : findBarFault(bar, interval, nowSeconds);
    if (fault !== null) {
      screened.refused.push({ bar, fault });
      continue;
    }
    lastTime = bar.time;
    if (held !== null && isNear(bar.close, held.close) && !isNear(bar.close, last!)) {
      screened.accepted.push(held, bar);
    } else {
      // The price is back, or somewhere else again: nothing confirmed it.
      if (held !== null) screened.refused.push({ bar: held, fault: "jump" });
      if (last !== null && !isNear(bar.close, last)) {
        held = bar;
        continue;
      }
      screened.accepted.push(bar);
    }
    held = null;
    last = bar.close;
  }
  if (held !== null) {
    screened.refused.push({ bar: held, fault: "jump" });
    screened.heldAt = held.time;
  }
  return screened;
}

/** Why a bar is invalid by itself; null for a valid bar. */
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

/** The median absolute log return of consecutive hours; null for too few. @param hours - Ascending. */
export function getMedianMove(hours: readonly Pick<Bar, "time" | "close">[]): number | null {
  const moves: number[] = [];
  for (let at = 1; at < hours.length; at++) {
    const before = hours[at - 1]!;
    const after = hours[at]!;
    if (after.time - before.time === 3600) moves.push(Math.abs(Math.log(after.close / before.close)));
  }
  const known = moves.filter(Number.isFinite).sort((a, b) => a - b);
  return known.length < leastMoves ? null : known[Math.floor(known.length / 2)]!;
}
