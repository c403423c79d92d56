import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../accounts/principal.ts";
import type { LimitClass, Route } from "../../route.ts";
import { isLow, type Limits } from "./limits.ts";
import { formatRateLimit, formatRateLimitPolicy, type Quota } from "./policies.ts";

/** The class of a route. */
export function getLimitClass(route: Pick<Route, "limit" | "method">): LimitClass {
  return route.limit ?? (route.method === "GET" ? "read" : "write");
}

/** Consumes one for a request without a credential, by its client address. @throws RateLimited */
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
 * Authenticates, and consumes one of the address when its credential is refused. An address with nothing left is refused
 * before its credential is looked up, also a valid one.
 *
 * @throws RateLimited, and what `authenticate` throws.
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
 * Authenticates a request and consumes one of its credential, one of its account (which bounds what more keys give) and
 * one of its client address (which bounds what more accounts give).
 *
 * @throws RateLimited, and what `authenticate` throws.
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

/** Sets the policy in each answer, and what is left of it; of reads only when little is left. */
function setRateLimitHeaders(reply: FastifyReply, quota: Quota): void {
  reply.header("ratelimit-policy", formatRateLimitPolicy(quota.policy));
  if (quota.policy.name !== "read" || isLow(quota)) reply.header("ratelimit", formatRateLimit(quota));
}
