import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await delay(milliseconds, undefined, { signal });
  },
};
