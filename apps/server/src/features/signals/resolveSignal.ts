import { type Exit, resolveTripleBarrier } from "@slipway/quant/signals/tripleBarrier";
import { hour, timeLimit } from "./evaluateBars.ts";
import type { Direction, HourBar } from "./strategies/strategy.ts";

export type OpenSignal = {
  direction: Direction;
  closedAt: number;
  stopLoss: number;
  takeProfit: number;
  /** Costs of entry and exit together, as a fraction. */
  cost: number;
};

/** The end of a position. `return` is after costs, as a fraction of the entry. */
export type Resolution = {
  reason: Exit["reason"];
  entryPrice: number;
  exitPrice: number;
  return: number;
  /** The close of the bar in which the position ended. */
  resolvedAt: number;
};

/** Seconds after a position's end until missing bars are final: bars are requested again for a day. */
const repairTime = 25 * hour;

/**
 * Resolves a signal: entry at the next open, exit at the first of stop, target and time limit.
 *
 * @param bars - The market's closed bars from the signal's close on, ascending; other bars have no effect.
 * @param now - Unix seconds up to which bars are known. Missing bars can still come until a day after the position's
 *   end.
 * @returns Null while the signal is open, or when no bar exists to resolve it.
 */
export function resolveSignal(signal: OpenSignal, bars: readonly HourBar[], now: number): Resolution | null {
  const { direction, closedAt, stopLoss, takeProfit, cost } = signal;
  const end = closedAt + timeLimit;
  const isFinal = now >= end + repairTime;
  const positionBars: HourBar[] = [];
  for (const bar of bars) {
    if (bar.time < closedAt) continue;
    if (bar.time >= end) break;
    // The position can have ended in the missing hour: later bars do not count yet.
    if (!isFinal && bar.time !== closedAt + positionBars.length * hour) break;
    positionBars.push(bar);
  }
  if (positionBars.length === 0) return null;
  const isWhole = isFinal || positionBars.length === timeLimit / hour;
  const limit = isWhole ? positionBars.length : positionBars.length + 1;
  const exit = resolveTripleBarrier(positionBars, 0, { direction, stopLoss, takeProfit, timeLimit: limit });
  if (exit === null) return null;
  const entryPrice = positionBars[0]!.open;
  const gross = (direction === "long" ? 1 : -1) * (exit.price / entryPrice - 1);
  return {
    reason: exit.reason,
    entryPrice,
    exitPrice: exit.price,
    return: gross - cost,
    resolvedAt: positionBars[exit.index]!.time + hour,
  };
}

/**
 * Adds bars for a pool's hours without a trade, in which its price did not change.
 *
 * @param through - Unix seconds up to which the index is complete.
 */
export function fillQuietHours<T extends HourBar>(bars: readonly T[], through: number): T[] {
  const filled: T[] = [];
  for (const [index, bar] of bars.entries()) {
    filled.push(bar);
    const end = bars[index + 1]?.time ?? through - (through % hour);
    for (let time = bar.time + hour; time < end; time += hour) {
      const { close } = bar;
      filled.push({ ...bar, time, open: close, high: close, low: close });
    }
  }
  return filled;
}
