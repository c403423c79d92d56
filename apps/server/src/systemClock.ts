import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, { signal });
  },
};
