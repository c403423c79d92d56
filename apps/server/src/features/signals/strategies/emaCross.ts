import { EMA } from "trading-signals";
import type { Strategy } from "./strategy.ts";

/** Crossing of the exponential moving averages of 50 and 200 hours. */
export const emaCross: Strategy = {
  name: "ema_cross",
  version: 1,
  description: "EMA(50) rises above EMA(200): long; falls below it: short",
  warmUp: 400,
  start() {
    const [fast, slow] = [new EMA(50), new EMA(200)];
    let before: number | null = null;
    return ({ close }) => {
      const previous = before;
      const [ema50, ema200] = [fast.add(close), slow.add(close)];
      if (ema50 === null || ema200 === null) return null;
      before = ema50 - ema200;
      if (previous === null) return null;
      const isLong = before > 0 && previous <= 0;
      const isShort = before < 0 && previous >= 0;
      return { direction: isLong ? "long" : isShort ? "short" : null, indicators: { ema50, ema200 } };
    };
  },
};
