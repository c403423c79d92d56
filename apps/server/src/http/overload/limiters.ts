import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "../../clock.ts";
import type { LimitStore } from "./limitStore.ts";
import type { Policy, Quota, RateLimited } from "./policies.ts";

/** Counts by name; a count of zero takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.get(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** Maximum number of subjects in memory, about 100 bytes each; callers choose how many there are. */
const maxSubjects = 100_000;

/** The current window of a subject; `remaining` requests are left for this process. */
export type Window = { remaining: number; resetAtMs: number };

/**
 * Creates the windows of one policy in this process's memory, synchronous and without timers. All windows are equally long:
 * the oldest windows end first, and are dropped when another window is opened.
 */
export function createWindows<W extends Window>(windowMs: number, capacity = maxSubjects) {
  const windows = new Map<string, W>();
  // A window that ends later than a new window would was opened before the machine's clock was set back.
  const isOpen = ({ resetAtMs }: W, nowMs: number) => nowMs < resetAtMs && resetAtMs <= nowMs + windowMs;

  return {
    get(subject: string, nowMs: number): W | undefined {
      const window = windows.get(subject);
      return window !== undefined && isOpen(window, nowMs) ? window : undefined;
    },

    open(subject: string, window: W, nowMs: number): W {
      windows.delete(subject);
      for (const [oldest, other] of windows) {
        if (isOpen(other, nowMs) && windows.size < capacity) break;
        windows.delete(oldest);
      }
      windows.set(subject, window);
      return window;
    },

    /** Returns the number of windows in memory, including ended windows. */
    size: () => windows.size,
  };
}

/**
 * The part of a quota that a process takes from the shared window at once, and then allows without a query. A query for
 * each request (key, account and address) would take 0.2 ms, a tenth of the time of the fastest POST.
 */
const batchShare = 1 / 20;

/** `remaining` requests are taken from the shared window and not allowed yet; `shared` requests are left in it. */
type Batch = Window & { shared: number };

export type SharedLimiter = {
  /** Consumes one. @throws RateLimited */
  consume(subject: string): Promise<Quota>;
  /** Consumes nothing, without a query. @throws RateLimited when this process knows that nothing is left. */
  requireRemaining(subject: string): void;
};

/**
 * Creates a limit that processes share through PostgreSQL: together they never allow more than the quota in a window. While
 * PostgreSQL does not answer, each process counts separately with the whole quota.
 */
export function createSharedLimiter(context: {
  policy: Policy;
  store: LimitStore;
  clock: Pick<Clock, "now">;
  refuse: (policy: Policy, resetMs: number) => RateLimited;
}): SharedLimiter {
  const { policy, store, clock } = context;
  const own = new RateLimiterMemory({ points: policy.quota, duration: policy.windowMs / 1000 });
  const batchSize = Math.max(1, Math.floor(policy.quota * batchShare));
  const batches = createWindows<Batch>(policy.windowMs);
  const pending = new Map<string, Promise<Batch>>();

  const consumeOwn = async (subject: string) => {
    const { consumedPoints, msBeforeNext } = await own.consume(subject, batchSize).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    return { points: consumedPoints, reset_ms: msBeforeNext };
  };

  const takeBatch = async (subject: string): Promise<Batch> => {
    const shared = store.consume(`${policy.name}:${subject}`, batchSize, policy.windowMs);
    const { points, reset_ms: resetMs } = await shared.catch(() => consumeOwn(subject));
    // The last batch of a window may be smaller.
    const remaining = Math.max(0, batchSize - Math.max(0, points - policy.quota));
    const now = clock.now();
    const resetAtMs = now + Math.min(resetMs, policy.windowMs);
    return batches.open(subject, { remaining, shared: Math.max(0, policy.quota - points), resetAtMs }, now);
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
        const batch = batches.get(subject, clock.now());
        if (batch !== undefined && batch.remaining > 0) return takeOne(batch);
        if (batch !== undefined && isExhausted(batch)) throw refuse(batch);
        const pendingBatch = pending.get(subject);
        if (pendingBatch !== undefined) {
          await pendingBatch;
          continue;
        }
        const taking = takeBatch(subject).finally(() => pending.delete(subject));
        pending.set(subject, taking);
        const taken = await taking;
        // The window may have ended meanwhile. Without a decision here a short window would never allow a request.
        if (taken.remaining > 0) return takeOne(taken);
        throw refuse(taken);
      }
    },
    requireRemaining: (subject) => {
      const batch = batches.get(subject, clock.now());
      if (batch !== undefined && isExhausted(batch)) throw refuse(batch);
    },
  };
}
