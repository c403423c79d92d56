import { type Bucket, createBuckets } from "./createBuckets.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const policy = { name: "read", ratePerSecond: 50, burst: 200 } as const;
const advance = 20;

/** Buckets whose charges are done by hand. */
function setUp() {
  const charged: Bucket[] = [];
  const buckets = createBuckets(policy, (bucket) => charged.push(bucket));
  return { buckets, charged };
}

/** What the settlement does when it hears nothing of other processes. */
function settle(bucket: Bucket, now: number): void {
  bucket.fullAt = Math.max(bucket.fullAt, now) + (bucket.untold / policy.ratePerSecond) * 1000;
  bucket.untold = 0;
}

test("takes from memory, asks for a charge at half of the advance, and is unsure beyond it", () => {
  const { buckets, charged } = setUp();
  const bucket = buckets.bucketOf("192.0.2.1", 0);
  for (let taken = 1; taken <= advance; taken++) {
    expect(buckets.take(bucket, 0)).toBe("taken");
    expect(charged.length > 0, `after ${taken}`).toBe(taken > advance / 2);
  }
  expect(buckets.take(bucket, 0)).toBe("unsure");
  settle(bucket, 0);
  expect(buckets.take(bucket, 0)).toBe("taken");
});

test("never asks for a charge below a twentieth of the rate", () => {
  const { buckets, charged } = setUp();
  const bucket = buckets.bucketOf("192.0.2.1", 0);
  for (let now = 0; now < 600_000; now += 400) expect(buckets.take(bucket, now)).toBe("taken");
  expect(charged).toEqual([]);
});

test("counts each subject by itself", () => {
  const { buckets } = setUp();
  const take = (subject: string) => buckets.take(buckets.bucketOf(subject, 0), 0);
  for (let taken = 0; taken < advance; taken++) take("192.0.2.1");
  expect([take("192.0.2.1"), take("192.0.2.2")]).toEqual(["unsure", "taken"]);
});

test("says what is left and how long to wait for one", () => {
  const { buckets } = setUp();
  const bucket = buckets.bucketOf("192.0.2.1", 0);
  bucket.fullAt = 4_000;
  expect([buckets.remaining(bucket, 0), buckets.waitMs(bucket, 0)]).toEqual([0, 20]);
  expect(buckets.take(bucket, 0)).toBe("refused");
  expect([buckets.remaining(bucket, 1_000), buckets.waitMs(bucket, 1_000)]).toEqual([50, 0]);
});

test("begins anew when the clock was set back", () => {
  const { buckets } = setUp();
  const bucket = buckets.bucketOf("192.0.2.1", 0);
  bucket.fullAt = 3_600_000;
  expect(buckets.take(bucket, 0)).toBe("taken");
});

test("charges what it forgets to make room", () => {
  const { buckets, charged } = setUp();
  buckets.take(buckets.bucketOf("first", 0), 0);
  for (let n = 0; n < 20_000; n++) buckets.bucketOf(`other ${n}`, 0);
  expect(charged.map(({ key }) => key)).toEqual(["read:first"]);
});

test("admits burst and rate, and at the most a twentieth of the rate more, whenever requests come", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 2_000 }), (gaps) => {
      const { buckets } = setUp();
      const bucket = buckets.bucketOf("192.0.2.1", 0);
      let now = 0;
      let admitted = 0;
      for (const gap of gaps) {
        now += gap;
        let taken = buckets.take(bucket, now);
        if (taken === "unsure") {
          settle(bucket, now);
          taken = buckets.take(bucket, now);
        }
        expect(taken).not.toBe("unsure");
        if (taken === "taken") admitted++;
        const allowed = policy.burst + (now / 1000) * policy.ratePerSecond * 1.05;
        expect(admitted).toBeLessThanOrEqual(Math.floor(allowed + 1e-6));
        // Nobody is refused who has not used all.
        if (taken === "refused") expect(admitted).toBeGreaterThanOrEqual(policy.burst - 1);
      }
    }),
    { numRuns: 200 },
  );
});
