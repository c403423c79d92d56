import { RSI } from "trading-signals";
import type { Strategy } from "./strategy.ts";

const [oversold, overbought] = [30, 70];

/** Relative strength index with Wilder's smoothing (Wilder 1978): long on a fall below 30, short on a rise above 70. */
export const rsiReversion: Strategy = {
  name: "rsi_reversion",
  version: 1,
  description: "RSI(14) falls below 30: long; rises above 70: short",
  warmUp: 100,
  start() {
    const rsi = new RSI(14);
    let before: number | null = null;
    return ({ close }) => {
      const previous = before;
      before = rsi.add(close);
      if (before === null || previous === null) return null;
      const isLong = before < oversold && previous >= oversold;
      const isShort = before > overbought && previous <= overbought;
      return { direction: isLong ? "long" : isShort ? "short" : null, indicators: { rsi14: before } };
    };
  },
};
