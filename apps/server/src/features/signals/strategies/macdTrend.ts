import { EMA, MACD } from "trading-signals";
import type { Strategy } from "./strategy.ts";

/** Moving average convergence and divergence (Appel 1979): a signal when the histogram changes its sign. */
export const macdTrend: Strategy = {
  name: "macd_trend",
  version: 1,
  description: "MACD(12, 26) rises above its signal line (9): long; falls below it: short",
  warmUp: 100,
  start() {
    const macd = new MACD(new EMA(12), new EMA(26), new EMA(9));
    let before: number | null = null;
    return ({ close }) => {
      const previous = before;
      const result = macd.add(close);
      if (result === null) return null;
      before = result.histogram;
      if (previous === null) return null;
      const isLong = before > 0 && previous <= 0;
      const isShort = before < 0 && previous >= 0;
      return {
        direction: isLong ? "long" : isShort ? "short" : null,
        indicators: { macd: result.macd, signal: result.signal, histogram: before },
      };
    };
  },
};
