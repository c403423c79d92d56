import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "../../clock.ts";
import type { LimitStore } from "./limitStore.ts";
import type { Policy, Quota, RateLimited } from "./policies.ts";
import { createWindows, type Window } from "./windows.ts";

/**
 * The part of a quota that a process takes from the shared window at a time, and then allows without a query. Queries
 * for each request (key, account and address) would take 0.2 ms, a tenth of the time of the fastest POST.
 */
const batchShare = 1 / 20;

/** `remaining`: taken from the shared window and not allowed yet; `shared`: left to all processes. */
type Batch = Window & { shared: number };

export type SharedLimiter = {
  /** Consumes one. @throws RateLimited */
  consume(subject: string): Promise<Quota>;
  /** Consumes nothing, without a query. @throws RateLimited when this process knows that nothing is left. */
  requireRemaining(subject: string): void;
};

/**
 * A limit that processes share through PostgreSQL: together they never allow more than the quota in a window. While
 * PostgreSQL does not answer, each process counts by itself with the whole quota.
 */
export function createSharedLimiter(context: {
  policy: Policy;
  store: LimitStore;
  clock: Pick<Clock, "now">;
  refuse: (policy: Policy, resetMs: number) => RateLimited;
}): SharedLimiter {
  const { policy, store, clock } = context;
  const options = { keyPrefix: policy.name, points: policy.quota, duration: policy.windowMs / 1000 };
  const limiter = new RateLimiterPostgres({
    ...options,
    ...store.tableOptions,
    insuranceLimiter: new RateLimiterMemory(options),
  });
  const batchSize = Math.max(1, Math.floor(policy.quota * batchShare));
  const batches = createWindows<Batch>(policy.windowMs);
  const pending = new Map<string, Promise<Batch>>();

  const takeBatch = async (subject: string): Promise<Batch> => {
    const result = await limiter.consume(subject, batchSize).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    // The last batch of a window may be a part of one.
    const excess = Math.max(0, result.consumedPoints - policy.quota);
    const remaining = Math.max(0, batchSize - excess);
    const resetMs = Math.min(result.msBeforeNext, policy.windowMs);
    const now = clock.now();
    return batches.open(subject, { remaining, shared: result.remainingPoints, resetAtMs: now + resetMs }, now);
  };

  const isExhausted = (batch: Batch) => batch.remaining === 0 && batch.shared === 0;
  const refuse = (batch: Batch) => context.refuse(policy, batch.resetAtMs - clock.now());

  const takeOne = (batch: Batch): Quota => {
    batch.remaining--;
    return { policy, remaining: batch.remaining + batch.shared, resetMs: batch.resetAtMs - clock.now() };
  };

  return {
    consume: async (subject) => {
      for (;;) {
        const known = batches.get(subject, clock.now());
        if (known !== undefined && known.remaining > 0) return takeOne(known);
        if (known !== undefined && isExhausted(known)) throw refuse(known);
        const underWay = pending.get(subject);
        if (underWay !== undefined) {
          await underWay;
          continue;
        }
        const taking = takeBatch(subject).finally(() => pending.delete(subject));
        pending.set(subject, taking);
        const batch = await taking;
        // Decided here also when the window has ended meanwhile: a short one would otherwise never allow anybody.
        if (batch.remaining > 0) return takeOne(batch);
        throw refuse(batch);
      }
    },
    requireRemaining: (subject) => {
      const known = batches.get(subject, clock.now());
      if (known !== undefined && isExhausted(known)) throw refuse(known);
    },
  };
}
