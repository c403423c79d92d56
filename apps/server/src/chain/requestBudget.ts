import type { Clock } from "../deps.ts";

/** Waits until one more request fits the budget. */
export type RequestBudget = { take(requests: number, signal?: AbortSignal): Promise<void> };

/** A token bucket of `perSecond` requests a second that allows a burst of one second. */
export function createRequestBudget(clock: Clock, perSecond: number): RequestBudget {
  let available = perSecond;
  let last = clock.now();
  return {
    take: async (requests, signal) => {
      const now = clock.now();
      // A clock that steps back must not freeze the bucket, one that leaps must not overfill it.
      available = Math.min(perSecond, available + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      available -= requests;
      if (available < 0) await clock.sleep(Math.ceil((-available * 1000) / perSecond), signal);
    },
  };
}
