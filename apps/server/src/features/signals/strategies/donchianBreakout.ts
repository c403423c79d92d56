import { DonchianChannels } from "trading-signals";
import type { Strategy } from "./strategy.ts";

/** Donchian channel of the 20 hours before the bar: a signal when a close leaves the channel. */
export const donchianBreakout: Strategy = {
  name: "donchian_breakout",
  version: 1,
  description: "a close rises above the highest high of the 20 hours before: long; falls below their lowest low: short",
  warmUp: 22,
  start() {
    const channel = new DonchianChannels(20);
    let side: number | null = null;
    return ({ high, low, close }) => {
      const previous = side;
      // The channel of the bars before this one.
      const before = channel.getResult();
      channel.add({ high, low });
      if (before === null) return null;
      side = close > before.upper ? 1 : close < before.lower ? -1 : 0;
      if (previous === null) return null;
      const isNew = side !== previous && side !== 0;
      return {
        direction: isNew ? (side > 0 ? "long" : "short") : null,
        indicators: { highest: before.upper, lowest: before.lower },
      };
    };
  },
};
