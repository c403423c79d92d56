import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../accounts/principal.ts";
import type { LimitClass, Route } from "../../route.ts";
import { isLow, type Limits } from "./limits.ts";
import { formatRateLimit, formatRateLimitPolicy, type Quota } from "./policies.ts";

/** Returns the limit class of a route. */
export function getLimitClass(route: Pick<Route, "limit" | "method">): LimitClass {
  return route.limit ?? (route.method === "GET" ? "read" : "write");
}

/** Consumes one request of the client address, for a request without a credential. @throws RateLimited */
export async function limitByAddress(
  limits: Limits,
  limitClass: LimitClass,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (limitClass === "none") return;
  setRateLimitHeaders(reply, await limits.consume(limitClass, limits.clientAddress(request.raw)));
}

/**
 * Authenticates, and counts a refused credential against the address. An address at its limit is refused before its
 * credential is looked up, even if the credential is valid.
 *
 * @throws RateLimited, and the errors of `authenticate`.
 */
export async function limitFailures(
  limits: Limits,
  address: string,
  authenticate: () => Promise<Principal>,
): Promise<Principal> {
  limits.requireRemaining("auth", address);
  try {
    return await authenticate();
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "unauthorized") await limits.consume("auth", address);
    throw error;
  }
}

/**
 * Authenticates a request and consumes one request of its credential, of its account (more keys do not raise the limit) and
 * of its client address (more accounts do not raise it).
 *
 * @throws RateLimited, and the errors of `authenticate`.
 */
export async function limitByPrincipal(
  limits: Limits,
  limitClass: LimitClass,
  request: FastifyRequest,
  reply: FastifyReply,
  authenticate: () => Promise<Principal>,
): Promise<Principal> {
  const address = limits.clientAddress(request.raw);
  const principal = await limitFailures(limits, address, authenticate);
  if (limitClass === "none") return principal;
  const credential = principal.keyId ?? principal.sessionId ?? principal.accountId;
  setRateLimitHeaders(reply, await limits.consume(limitClass, credential));
  await limits.consume("account", principal.accountId);
  await limits.consume("address", address);
  return principal;
}

/** Sets `RateLimit-Policy` and `RateLimit`; reads have `RateLimit` only when less than half is left. */
function setRateLimitHeaders(reply: FastifyReply, quota: Quota): void {
  reply.header("ratelimit-policy", formatRateLimitPolicy(quota.policy));
  if (quota.policy.name !== "read" || isLow(quota)) reply.header("ratelimit", formatRateLimit(quota));
}
