import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../accounts/principal.ts";
import type { LimitClass, Route } from "../../route.ts";
import type { Admission, Limits } from "./limits.ts";
import { limitHeader, policyHeader } from "./policies.ts";

/** What a route counts as. */
export function limitClassOf(route: Pick<Route, "limit" | "method">): LimitClass {
  return route.limit ?? (route.method === "GET" ? "read" : "write");
}

/** Counts a request without a credential, by its address. @throws RateLimited */
export async function limitByAddress(
  limits: Limits,
  limitClass: LimitClass,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (limitClass === "none") return;
  say(reply, await limits.admit(limitClass, limits.clientAddress(request.raw)));
}

/**
 * Lets an address find out who asks until it has failed too often: then it is refused before its credential is looked
 * at, also a good one.
 *
 * @throws RateLimited, and what `authenticate` throws.
 */
export async function limitFailures(
  limits: Limits,
  address: string,
  authenticate: () => Promise<Principal>,
): Promise<Principal> {
  limits.check("auth", address);
  try {
    return await authenticate();
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "unauthorized") await limits.admit("auth", address);
    throw error;
  }
}

/**
 * Counts a request with a credential: by the credential, and by its account, so that more keys are not more than a few
 * times one; and by its address, so that more accounts are not either.
 *
 * @param authenticate - Finds out who asks.
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
  say(reply, await limits.admit(limitClass, principal.keyId ?? principal.sessionId ?? principal.accountId));
  await limits.admit("account", principal.accountId);
  await limits.admit("address", address);
  return principal;
}

/**
 * Says the policy in each answer, and what is left of it. Of reads only when less than half is left: their answers are
 * the same bytes for everybody, most of them kept ready or in caches.
 */
function say(reply: FastifyReply, { policy, remaining }: Admission): void {
  reply.header("ratelimit-policy", policyHeader(policy));
  if (policy.name !== "read" || remaining * 2 < policy.burst) reply.header("ratelimit", limitHeader(policy, remaining));
}
