import type { IncomingMessage } from "node:http";
import { chargeRateBuckets, forgetFullBuckets } from "../../db/rateBuckets.ts";
import type { Runtime } from "../../runtime.ts";
import { type ClientAddress, createClientAddress } from "../clientAddress.ts";
import { type Bucket, type Buckets, createBuckets } from "./createBuckets.ts";
import { createSettlement } from "./createSettlement.ts";
import { limitHeader, type Policy, type PolicyName, policiesOf } from "./policies.ts";
import { RateLimited } from "./rateLimited.ts";

/** What is left of a policy after a request. */
export type Admission = { policy: Policy; remaining: number };

/** The limits of a process. */
export type Limits = {
  /** Whom a request is from, for limits and budgets. */
  clientAddress: ClientAddress;
  /** Takes one. @throws RateLimited */
  admit(policy: PolicyName, subject: string): Promise<Admission>;
  /** Takes nothing. @throws RateLimited when there is none left. */
  check(policy: PolicyName, subject: string): void;
  /**
   * Takes one read of the request's address at once and without a promise; for answers that are ready.
   *
   * @returns headers to send, or false when that cannot be said at once: nothing is taken then.
   */
  admitHot(request: IncomingMessage): readonly string[] | false;
  /** Takes one read for a WebSocket handshake. @throws RateLimited */
  admitHandshake(request: IncomingMessage): Promise<void>;
  /** Charges what is still to be charged. */
  stop(): Promise<void>;
};

/** How often full buckets are removed from the database. */
const sweepMs = 60_000;
/** Rounds after which a request goes on unasked: as many as empty the largest bucket, and some. */
const mostRounds = 40;

const none: readonly string[] = [];
/** The limits of a process. */
export function createLimits(deps: Pick<Runtime, "config" | "clock" | "log" | "metrics" | "db">): Limits {
  const { clock, log, metrics } = deps;
  const policies = policiesOf(deps.config);
  const clientAddress = createClientAddress(deps.config.TRUST_PROXY);
  let sweptAt = clock.now();

  const sweep = () => {
    if (clock.now() - sweptAt < sweepMs) return;
    sweptAt = clock.now();
    forgetFullBuckets(deps.db.api).catch((error) => log.debug({ err: error }, "full buckets were not removed"));
  };
  const settlement = createSettlement({
    charge: (charges) => chargeRateBuckets(deps.db.api, charges),
    patienceMs: deps.config.LIMIT_PATIENCE_MS,
    clock,
    log,
    settled: (outcome) => {
      metrics.rateLimitSettlements.inc({ outcome });
      if (outcome === "shared") sweep();
    },
  });
  const charge = (bucket: Bucket) => settlement.charge(bucket);
  const all = Object.fromEntries(
    Object.values(policies).map((policy) => [policy.name, createBuckets(policy, charge)]),
  ) as Record<PolicyName, Buckets>;

  const refusal = (buckets: Buckets, bucket: Bucket) => {
    metrics.rateLimited.inc({ policy: buckets.policy.name });
    return new RateLimited(buckets.policy, buckets.waitMs(bucket, clock.now()));
  };

  const admit = async (name: PolicyName, subject: string): Promise<Admission> => {
    const buckets = all[name];
    const bucket = buckets.bucketOf(subject, clock.now());
    for (let rounds = 0; ; rounds++) {
      const taken = buckets.take(bucket, clock.now());
      if (taken === "refused") throw refusal(buckets, bucket);
      if (taken === "taken" || rounds === mostRounds) {
        return { policy: buckets.policy, remaining: buckets.remaining(bucket, clock.now()) };
      }
      await settlement.ask(bucket);
    }
  };

  return {
    clientAddress,
    admit,
    check: (name, subject) => {
      const buckets = all[name];
      const bucket = buckets.bucketOf(subject, clock.now());
      if (buckets.remaining(bucket, clock.now()) < 1) throw refusal(buckets, bucket);
    },
    admitHot: (request) => {
      const now = clock.now();
      const bucket = all.read.bucketOf(clientAddress(request), now);
      if (all.read.take(bucket, now) !== "taken") return false;
      const remaining = all.read.remaining(bucket, now);
      return remaining * 2 < policies.read.burst ? ["ratelimit", limitHeader(policies.read, remaining)] : none;
    },
    admitHandshake: async (request) => {
      await admit("read", clientAddress(request));
    },
    stop: () => settlement.stop(),
  };
}
