import type { Clock } from "../deps.ts";
import { RpcError } from "./rpcError.ts";

type TakeOptions = {
  signal?: AbortSignal | undefined;
  /** Takes nothing when those before would make it wait for longer; in milliseconds. Left out: waits as long as it takes. */
  patienceMs?: number | undefined;
};

/** Waits until some more requests fit the budget. @throws RpcError crowded */
export type RequestBudget = { take(requests: number, options?: TakeOptions): Promise<void> };

/** A token bucket of `perSecond` requests a second that allows a burst of one second. */
export function createRequestBudget(clock: Clock, perSecond: number): RequestBudget {
  let available = perSecond;
  let last = clock.now();
  const waitMs = () => Math.max(0, Math.ceil((-available * 1000) / perSecond));
  return {
    take: async (requests, { signal, patienceMs = Number.POSITIVE_INFINITY } = {}) => {
      const now = clock.now();
      // A clock that steps back must not freeze the bucket, one that leaps must not overfill it.
      available = Math.min(perSecond, available + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      // Judged by those before alone, so that what is larger than the whole budget has its turn too.
      if (waitMs() > patienceMs)
        throw new RpcError("crowded", "more is asked of the chain than its endpoints are given");
      available -= requests;
      if (available < 0) await clock.sleep(waitMs(), signal);
    },
  };
}
