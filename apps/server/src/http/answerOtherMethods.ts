import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { ErrorWithHeaders } from "./sendError.ts";

/** The methods of this service. A route with GET has HEAD, and every path has OPTIONS. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies HTTPMethods[];

/** Returns the methods of a path for `Allow`; none for a path without a route. */
function getAllowed(app: FastifyInstance, url: string): string[] {
  const allowed = methods.filter((method) => app.findRoute({ method, url }) !== null);
  return allowed.length === 0 ? [] : [...allowed, "OPTIONS"];
}

/** Creates the error of a method that a path does not have. @param allow - The methods of the path; none for CONNECT. */
export function createMethodNotAllowed(allow: readonly string[]): ErrorWithHeaders {
  return new ErrorWithHeaders("method_not_allowed", undefined, { allow: allow.join(", ") }, { allow });
}

/**
 * Answers requests without a route before their body is read: OPTIONS with the methods of the path, another method of
 * an existing path with 405, and an unknown path with 404. `cors.ts` has already answered preflights.
 *
 * @returns Whether the request was answered.
 * @throws SlipwayError `method_not_allowed`, `not_found`.
 */
export function answerOtherMethods(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== "OPTIONS" && !request.is404) return false;
  const url = request.raw.url!;
  // `*` means the whole server (RFC 9110, 9.3.7).
  const allowed = request.method === "OPTIONS" && url === "*" ? [...methods, "OPTIONS"] : getAllowed(app, url);
  if (allowed.length === 0) throw new SlipwayError("not_found");
  if (request.method !== "OPTIONS") throw createMethodNotAllowed(allowed);
  reply.code(204).header("allow", allowed.join(", ")).header("cache-control", "no-store").send();
  return true;
}
