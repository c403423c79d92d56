import { LRUCache } from "lru-cache";
import type { Policy } from "./policies.ts";

/** Buckets kept at once for a policy: a caller's to multiply, so bounded. */
const keptBuckets = 20_000;

/** The part of a bucket that a process may take before it has told the others: a tenth, at least one. */
const advancePart = 0.1;

/** The part of the rate that a process takes without ever telling the others. */
const untoldPart = 0.05;

/** One process's view of a bucket that all processes share. */
export type Bucket = {
  readonly key: string;
  readonly policy: Policy;
  /** When the shared bucket is full again, as far as this process has heard; milliseconds. */
  fullAt: number;
  /** Taken here and not yet charged to the shared bucket. */
  untold: number;
  /** When `untold` was last looked at; milliseconds. */
  at: number;
};

/** What became of a try to take one: `unsure` means that the shared bucket must be asked first. */
export type Taken = "taken" | "unsure" | "refused";

/**
 * A process's buckets of one policy. One is taken from memory: a bucket is charged where all see it only when a half of
 * the advance is used, and who stays below a twentieth of the rate is never charged there at all.
 *
 * @param charge - Called when a bucket should be charged to the shared one soon.
 */
export function createBuckets(policy: Policy, charge: (bucket: Bucket) => void) {
  const perMs = policy.ratePerSecond / 1000;
  const advance = Math.max(1, Math.floor(policy.burst * advancePart));
  const buckets = new LRUCache<string, Bucket>({
    max: keptBuckets,
    // What was taken stays taken when the bucket makes room for another.
    dispose: (bucket, _, reason) => {
      if (reason === "evict" && bucket.untold >= 1) charge(bucket);
    },
  });

  const bucketOf = (subject: string, now: number): Bucket => {
    let bucket = buckets.get(subject);
    if (bucket === undefined) {
      bucket = { key: `${policy.name}:${subject}`, policy, fullAt: now, untold: 0, at: now };
      buckets.set(subject, bucket);
    }
    return bucket;
  };

  /** A bucket that says to be full later than this was noted before the machine's clock was set back. */
  const latestMs = (4 * policy.burst) / perMs + 10_000;

  const leftIn = (bucket: Bucket, now: number) =>
    policy.burst - Math.max(0, bucket.fullAt - now) * perMs - bucket.untold;

  return {
    policy,
    bucketOf,

    /** Takes one if that can be said here and now. */
    take(bucket: Bucket, now: number): Taken {
      bucket.untold = Math.max(0, bucket.untold - Math.max(0, now - bucket.at) * perMs * untoldPart);
      bucket.at = now;
      if (bucket.fullAt - now > latestMs) bucket.fullAt = now;
      if (leftIn(bucket, now) < 1) return "refused";
      if (bucket.untold + 1 > advance) return "unsure";
      bucket.untold += 1;
      if (bucket.untold * 2 > advance) charge(bucket);
      return "taken";
    },

    /** Whole requests that are left. */
    remaining: (bucket: Bucket, now: number): number => Math.max(0, Math.floor(leftIn(bucket, now))),

    /** Milliseconds until there is one. */
    waitMs: (bucket: Bucket, now: number): number => Math.max(0, (1 - leftIn(bucket, now)) / perMs),
  };
}

export type Buckets = ReturnType<typeof createBuckets>;
