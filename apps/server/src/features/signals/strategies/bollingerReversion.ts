import { BollingerBands } from "trading-signals";
import type { Strategy } from "./strategy.ts";

/** Bollinger bands of 20 hours and 2 standard deviations: long on a close below the bands, short on one above. */
export const bollingerReversion: Strategy = {
  name: "bollinger_reversion",
  version: 1,
  description: "a close falls below the lower band (20, 2): long; rises above the upper one: short",
  warmUp: 21,
  start() {
    const bands = new BollingerBands(20, 2);
    /** -1 below the bands, 1 above them. */
    let side: number | null = null;
    return ({ close }) => {
      const previous = side;
      const result = bands.add(close);
      if (result === null) return null;
      const { lower, middle, upper } = result;
      side = close < lower ? -1 : close > upper ? 1 : 0;
      if (previous === null) return null;
      const isNew = side !== previous && side !== 0;
      return { direction: isNew ? (side < 0 ? "long" : "short") : null, indicators: { lower, middle, upper } };
    };
  },
};
