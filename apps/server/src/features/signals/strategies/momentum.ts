import type { Strategy } from "./strategy.ts";

const [hour, day] = [3_600, 86_400];
const span = 28 * day;

/** Time-series momentum (Moskowitz, Ooi & Pedersen 2012): the sign of the return over 28 days, once a day. */
export const momentum: Strategy = {
  name: "momentum_28d",
  version: 1,
  description: "at 00:00 UTC: the price is above that of 28 days before: long; below it: short",
  warmUp: 600,
  start() {
    const closes = new Map<number, number>();
    return ({ time, close }) => {
      closes.set(time, close);
      closes.delete(time - span - day);
      if ((time + hour) % day !== 0) return null;
      // No signal if the bar of 28 days ago is missing.
      const before = closes.get(time - span);
      if (before === undefined) return null;
      const change = close / before - 1;
      return { direction: change > 0 ? "long" : change < 0 ? "short" : null, indicators: { return_28d: change } };
    };
  },
};
