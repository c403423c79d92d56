import type { IncomingMessage, ServerResponse } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { maxWaitingPerConnection } from "../../db/requestPool.ts";
import type { Runtime } from "../../runtime.ts";
import { type ClientAddress, createClientAddress } from "./clientAddress.ts";
import { Counts, createSharedLimiter, createWindows, type SharedLimiter } from "./limiters.ts";
import { openLimitStore } from "./limitStore.ts";
import { formatRateLimit, getPolicies, type Policy, type PolicyName, type Quota, RateLimited } from "./policies.ts";

/** Policies whose windows all processes share. */
export type SharedPolicyName = Exclude<PolicyName, "read">;

/** The limits of a process. */
export type Limits = {
  /** Returns the client of a request for limits and budgets. */
  clientAddress: ClientAddress;
  /** Consumes one request. @throws RateLimited */
  consume(policy: PolicyName, subject: string): Promise<Quota>;
  /** Consumes no request. @throws RateLimited when this process knows that none is left. */
  requireRemaining(policy: SharedPolicyName, subject: string): void;
  /**
   * Consumes one read of the request's address, synchronously.
   *
   * @returns headers to send; false when no read is left.
   */
  consumeHotRead(request: IncomingMessage): readonly string[] | false;
  /** Consumes one read for a WebSocket handshake. @throws RateLimited */
  consumeHandshake(request: IncomingMessage): Promise<void>;
  /**
   * Handles a request of an account, unless too many of its requests are being handled.
   *
   * @throws SlipwayError `overloaded`, and what `handle` throws.
   */
  limitConcurrency<T>(accountId: string, handle: () => Promise<T>): Promise<T>;
  /**
   * Counts a request with a large JSON body until its connection has the response. Call it before the body is read: a body
   * that arrives slowly occupies its memory.
   *
   * @throws SlipwayError `overloaded` if too many of the client address are in progress.
   */
  takeLargeBody(request: IncomingMessage, response: ServerResponse): void;
  stop(): Promise<void>;
};

/** Maximum concurrent requests of one account for each connection of a pool: half of the requests that may wait. */
const maxConcurrentPerConnection = maxWaitingPerConnection / 2;

/** Maximum requests in progress with a large JSON body of one client address. Accounts are free, so that they do not count. */
const maxLargeBodies = 8;

const noHeaders: readonly string[] = [];

/** Opens the limits of a process: reads are counted in its memory, all other limits are shared through PostgreSQL. */
export function createLimits(deps: Pick<Runtime, "config" | "clock" | "log" | "metrics" | "db">): Limits {
  const { config, clock, db, log, metrics } = deps;
  const clientAddress = createClientAddress(config.TRUST_PROXY);
  const policies = getPolicies(config);
  const store = openLimitStore({
    db: db.api,
    clock,
    log,
    timeoutMs: config.RATE_LIMIT_STORE_TIMEOUT_MS,
    longestWindowMs: Math.max(...Object.values(policies).map(({ windowMs }) => windowMs)),
    onOutcome: (outcome) => metrics.rateLimitSettlements.inc({ outcome }),
  });
  const refuse = (policy: Policy, resetMs: number) => {
    metrics.rateLimited.inc({ policy: policy.name });
    return new RateLimited(policy, resetMs);
  };
  const share = (policy: Policy) => createSharedLimiter({ policy, store, clock, refuse });
  const shared: Record<SharedPolicyName, SharedLimiter> = {
    write: share(policies.write),
    upload: share(policies.upload),
    account: share(policies.account),
    address: share(policies.address),
    auth: share(policies.auth),
  };

  const reads = createWindows(policies.read.windowMs);
  /** @returns null when no read is left. */
  const tryConsumeRead = (subject: string, nowMs: number): Quota | null => {
    const policy = policies.read;
    const window =
      reads.get(subject, nowMs) ??
      reads.open(subject, { remaining: policy.quota, resetAtMs: nowMs + policy.windowMs }, nowMs);
    if (window.remaining === 0) return null;
    window.remaining--;
    return { policy, remaining: window.remaining, resetMs: window.resetAtMs - nowMs };
  };
  const consumeRead = (subject: string): Quota => {
    const nowMs = clock.now();
    const quota = tryConsumeRead(subject, nowMs);
    if (quota === null) throw refuse(policies.read, reads.get(subject, nowMs)!.resetAtMs - nowMs);
    return quota;
  };

  return {
    clientAddress,
    consume: async (name, subject) => (name === "read" ? consumeRead(subject) : await shared[name].consume(subject)),
    requireRemaining: (name, subject) => shared[name].requireRemaining(subject),
    consumeHotRead: (request) => {
      const quota = tryConsumeRead(clientAddress(request), clock.now());
      if (quota === null) return false;
      return isLow(quota) ? ["ratelimit", formatRateLimit(quota)] : noHeaders;
    },
    consumeHandshake: async (request) => {
      consumeRead(clientAddress(request));
    },
    limitConcurrency: createConcurrencyLimit(config.DATABASE_POOL_SIZE * maxConcurrentPerConnection, () =>
      metrics.shedRequests.inc({ reason: "account" }),
    ),
    takeLargeBody: createLargeBodyLimit(clientAddress),
    stop: () => store.stop(),
  };
}

/** Creates the limit of requests in progress with a large JSON body. */
function createLargeBodyLimit(clientAddress: ClientAddress): Limits["takeLargeBody"] {
  const counts = new Counts();
  return (request, response) => {
    const address = clientAddress(request);
    if (counts.get(address) >= maxLargeBodies)
      throw new SlipwayError("overloaded", "Too many requests of this address with large bodies are in progress.");
    counts.add(address, 1);
    let isCounted = true;
    const release = () => {
      if (isCounted) counts.add(address, -1);
      isCounted = false;
    };
    response.once("finish", release).once("close", release);
  };
}

/** Creates the limit of concurrent requests of each account. */
function createConcurrencyLimit(max: number, onRefusal: () => void): Limits["limitConcurrency"] {
  const counts = new Counts();
  return async (accountId, handle) => {
    if (counts.get(accountId) >= max) {
      onRefusal();
      throw new SlipwayError("overloaded", "Too many requests of this account are in progress.");
    }
    counts.add(accountId, 1);
    try {
      return await handle();
    } finally {
      counts.add(accountId, -1);
    }
  };
}

/** Whether the response to a read contains `RateLimit`. Most reads are cached responses, identical for all callers. */
export const isLow = ({ policy, remaining }: Quota) => remaining * 2 < policy.quota;
