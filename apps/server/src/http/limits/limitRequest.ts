import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../principal.ts";
import type { Route } from "../route.ts";
import type { Admission, Limits } from "./limitsOf.ts";
import { type LimitClass, limitHeader, policyHeader } from "./policies.ts";

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
 * Counts a request with a credential: by the credential, and by its account, so that more keys are not more than a few
 * times one. An address that has failed too often is refused before its credential is looked at.
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
  limits.check("auth", address);
  let principal: Principal;
  try {
    principal = await authenticate();
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "unauthorized") await limits.admit("auth", address);
    throw error;
  }
  if (limitClass === "none") return principal;
  say(reply, await limits.admit(limitClass, principal.keyId ?? principal.sessionId ?? principal.accountId));
  await limits.admit("account", principal.accountId);
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
