import { corwinSchultzSpread } from "@slipway/quant/risk/liquidity";
import { ATR } from "trading-signals";
import { allStrategies } from "./strategies/allStrategies.ts";
import type { Direction, HourBar, Reading, Strategy } from "./strategies/strategy.ts";

/** A signal of a strategy at the close of a bar. Times are Unix seconds. */
export type EvaluatedSignal = {
  strategy: string;
  version: number;
  direction: Direction;
  /** The close of the bar, and its price. */
  closedAt: number;
  price: number;
  stopLoss: number;
  takeProfit: number;
  indicators: Record<string, number>;
  /** Estimated spread of bid and ask before the signal, as a fraction of the price. */
  spread: number;
};

export const hour = 3_600;
/** Maximum duration of a position in seconds. */
export const timeLimit = 24 * hour;
const [stopRanges, profitRanges] = [2, 3];
/** Maximum and minimum number of bars from which the spread is estimated. */
const [spreadBars, minSpreadBars] = [168, 24];

/**
 * Recursive indicators start at fixed times, 30 days apart, and process 30 to 60 days of bars before an evaluated bar:
 * a signal depends on the bars of these days, and not on the length of a market's history.
 */
const period = 720 * hour;

/** Returns the start of the bars on which the signals of the bar at `time` depend. */
export const getWindowStart = (time: number): number => (Math.floor(time / period) - 1) * period;

/**
 * Computes the signals of strategies at the closes of bars, ordered by time and strategy.
 *
 * @param bars - Ascending, closed, without duplicates; hours can be missing. The first bar is at
 *   `getWindowStart(from)`, or is the market's first bar.
 * @param from - The open of the first bar that is evaluated.
 */
export function evaluateBars(
  bars: readonly HourBar[],
  from = 0,
  strategies: readonly Strategy[] = allStrategies,
): EvaluatedSignal[] {
  const signals: EvaluatedSignal[] = [];
  let next = bars.findIndex(({ time }) => time >= from);
  while (next >= 0 && next < bars.length) {
    const start = getWindowStart(bars[next]!.time);
    const end = start + 2 * period;
    const first = bars.findIndex(({ time }) => time >= start);
    const last = findEnd(bars, next, end);
    evaluateWindow(bars, { first, next, last }, strategies, signals);
    next = last;
  }
  return signals;
}

/** Returns the index after the last bar that opens before `end`. */
function findEnd(bars: readonly HourBar[], from: number, end: number): number {
  let index = from;
  while (index < bars.length && bars[index]!.time < end) index++;
  return index;
}

/** Evaluates the bars from index `next` to `last`, excluded, of a window that begins at index `first`. */
function evaluateWindow(
  bars: readonly HourBar[],
  { first, next, last }: { first: number; next: number; last: number },
  strategies: readonly Strategy[],
  signals: EvaluatedSignal[],
): void {
  const running = strategies.map((strategy) => ({ strategy, read: strategy.start() }));
  const atr = new ATR(14);
  for (let index = first; index < last; index++) {
    const bar = bars[index]!;
    const range = atr.add(bar);
    const seen = index - first + 1;
    for (const { strategy, read } of running) {
      const reading = read(bar);
      if (index < next || seen < strategy.warmUp || seen < minSpreadBars || range === null) continue;
      const signal = toSignal(strategy, reading, bar, range);
      if (signal === null) continue;
      const recent = bars.slice(Math.max(first, index + 1 - spreadBars), index + 1);
      signals.push({ ...signal, spread: corwinSchultzSpread(recent) });
    }
  }
}

function toSignal(
  { name, version }: Strategy,
  reading: Reading | null,
  { time, close }: HourBar,
  range: number,
): Omit<EvaluatedSignal, "spread"> | null {
  if (reading === null || reading.direction === null) return null;
  const sign = reading.direction === "long" ? 1 : -1;
  const stopLoss = close - sign * stopRanges * range;
  const takeProfit = close + sign * profitRanges * range;
  // No signal without price movement, or with a stop or target of 0 or less.
  if (!(range > 0) || !(Math.min(stopLoss, takeProfit) > 0)) return null;
  return {
    strategy: name,
    version,
    direction: reading.direction,
    closedAt: time + hour,
    price: close,
    stopLoss,
    takeProfit,
    indicators: reading.indicators,
  };
}
