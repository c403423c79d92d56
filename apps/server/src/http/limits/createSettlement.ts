import type { Logger } from "pino";
import type { BucketCharge } from "../../db/rateBuckets.ts";
import type { Clock } from "../../clock.ts";
import type { Bucket } from "./createBuckets.ts";

/** Buckets charged by one statement. */
const chargedAtOnce = 2_000;
/** Charges wait so long for others, unless a request waits for them. */
const gatheringMs = 20;
/** How long a process decides alone before it asks the database again. */
const aloneMs = 1_000;

type Outcome = "shared" | "alone";

/**
 * Charges buckets where all processes see them: one statement at a time for all buckets that wait, never one for each
 * request. Without the database each process goes on alone, with the whole limit.
 *
 * @param options.patienceMs - How long a request may wait for the database before this process decides alone.
 * @param options.charge - The one statement; gives for each key in how many milliseconds its bucket is full again.
 */
export function createSettlement(options: {
  charge: (charges: readonly BucketCharge[]) => Promise<ReadonlyMap<string, number>>;
  patienceMs: number;
  clock: Clock;
  log: Logger;
  settled: (outcome: Outcome) => void;
}) {
  const { charge, patienceMs, clock, log, settled } = options;
  const waiting = new Set<Bucket>();
  const stopping = new AbortController();
  let isAlone = false;
  let aloneUntil = 0;
  let running: Promise<void> | null = null;
  /** Resolves after the round that begins next; null while nobody waits for it. */
  let asked: PromiseWithResolvers<void> | null = null;
  let hurry = Promise.withResolvers<void>();
  /** A statement that nobody waits for any more; no other is sent meanwhile. */
  let late: Promise<unknown> | null = null;

  const chargeAlone = (bucket: Bucket, amount: number) => {
    const refillMs = (amount / bucket.policy.ratePerSecond) * 1000;
    bucket.fullAt = Math.max(bucket.fullAt, clock.now()) + refillMs;
    bucket.untold = Math.max(0, bucket.untold - amount);
  };

  const goOnAlone = (error: unknown) => {
    aloneUntil = clock.now() + aloneMs;
    if (!isAlone) log.warn({ err: error }, "rate limits are counted by this process alone");
    isAlone = true;
  };

  /** Null when the database did not answer in time. */
  const chargeShared = async (charges: readonly BucketCharge[]): Promise<ReadonlyMap<string, number> | null> => {
    if (late !== null || clock.now() < aloneUntil) return null;
    const answer = charge(charges);
    const done = new AbortController();
    try {
      const first = await Promise.race([answer, clock.sleep(patienceMs, done.signal).then(() => null)]);
      if (first !== null) {
        isAlone = false;
        return first;
      }
      late = answer.then(noMore, noMore);
      goOnAlone(new Error("the database is slow"));
    } catch (error) {
      goOnAlone(error);
    } finally {
      done.abort();
    }
    return null;
  };

  const noMore = () => {
    late = null;
  };

  const round = async () => {
    const heard = asked;
    asked = null;
    hurry = Promise.withResolvers();
    // A bucket can be there twice, once it has made room for itself to come back.
    const amounts = new Map<string, { buckets: Bucket[]; amount: number }>();
    for (const bucket of waiting) {
      if (amounts.size >= chargedAtOnce) break;
      waiting.delete(bucket);
      const known = amounts.get(bucket.key);
      if (known === undefined) amounts.set(bucket.key, { buckets: [bucket], amount: bucket.untold });
      else {
        known.buckets.push(bucket);
        known.amount += bucket.untold;
      }
    }
    const told = [...amounts.values()].map(({ buckets }) => buckets.map((bucket) => ({ bucket, of: bucket.untold })));
    const charges = [...amounts].map(([key, { buckets, amount }]) => ({
      key,
      refillMs: (amount / buckets[0]!.policy.ratePerSecond) * 1000,
    }));
    const fullIn = await chargeShared(charges);
    const now = clock.now();
    for (const { bucket, of } of told.flat()) {
      const ms = fullIn?.get(bucket.key);
      if (ms === undefined) {
        chargeAlone(bucket, of);
        continue;
      }
      bucket.fullAt = now + ms;
      bucket.untold = Math.max(0, bucket.untold - of);
    }
    settled(fullIn === null ? "alone" : "shared");
    heard?.resolve();
  };

  const run = async () => {
    while (waiting.size > 0 || asked !== null) {
      if (asked === null && !stopping.signal.aborted) {
        const gathered = new AbortController();
        const pause = clock.sleep(gatheringMs, AbortSignal.any([gathered.signal, stopping.signal]));
        await Promise.race([pause.catch(() => undefined), hurry.promise]);
        gathered.abort();
      }
      await round();
    }
    running = null;
  };

  return {
    /** The bucket is charged soon. */
    charge(bucket: Bucket): void {
      waiting.add(bucket);
      running ??= run();
    },

    /** Charges the bucket now; resolves when it is done, or was done alone. */
    async ask(bucket: Bucket): Promise<void> {
      waiting.add(bucket);
      asked ??= Promise.withResolvers();
      const { promise } = asked;
      hurry.resolve();
      running ??= run();
      await promise;
    },

    /** Charges what waits, and ends. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      await late;
    },
  };
}
