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

/** How a position ended. `return` is after costs, as a fraction of the entry. */
export type Resolution = {
  reason: Exit["reason"];
  entryPrice: number;
  exitPrice: number;
  return: number;
  /** The close of the bar in which it ended. */
  resolvedAt: number;
};

/** After this time missing bars are missing for ever: a source is asked again for them for a day. */
const repairTime = 25 * hour;

/**
 * Resolves a signal: entry at the next open, exit by the first of stop, profit and 24 hours.
 *
 * @param bars - The market's closed bars from the signal's close on, ascending; more of them change nothing.
 * @param now - Unix seconds up to which bars are known. Until a day after the position's end, missing ones may still come.
 * @returns null while it is open, or when there are no bars to resolve it.
 */
export function resolveSignal(signal: OpenSignal, bars: readonly HourBar[], now: number): Resolution | null {
  const { direction, closedAt, stopLoss, takeProfit, cost } = signal;
  const end = closedAt + timeLimit;
  const isFinal = now >= end + repairTime;
  const held: HourBar[] = [];
  for (const bar of bars) {
    if (bar.time < closedAt) continue;
    if (bar.time >= end) break;
    // What happened in a missing hour decides before what followed it.
    if (!isFinal && bar.time !== closedAt + held.length * hour) break;
    held.push(bar);
  }
  if (held.length === 0) return null;
  const isWhole = isFinal || held.length === timeLimit / hour;
  const limit = isWhole ? held.length : held.length + 1;
  const exit = resolveTripleBarrier(held, 0, { direction, stopLoss, takeProfit, timeLimit: limit });
  if (exit === null) return null;
  const entryPrice = held[0]!.open;
  const gross = (direction === "long" ? 1 : -1) * (exit.price / entryPrice - 1);
  return {
    reason: exit.reason,
    entryPrice,
    exitPrice: exit.price,
    return: gross - cost,
    resolvedAt: held[exit.index]!.time + hour,
  };
}

/**
 * The bars of a pool with those of hours without a trade, in which its price did not change.
 *
 * @param through - Unix seconds up to which the index knows that there was none.
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
