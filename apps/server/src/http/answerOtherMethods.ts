import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { ErrorWithHeaders } from "./sendError.ts";

/** Methods that a route of this service can have. HEAD comes with GET, OPTIONS with every path. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies HTTPMethods[];

/** Methods of a path, as `Allow` lists them; empty for a path without a route. */
function getAllowed(app: FastifyInstance, url: string): string[] {
  const allowed = methods.filter((method) => app.findRoute({ method, url }) !== null);
  return allowed.length === 0 ? [] : [...allowed, "OPTIONS"];
}

/** A method that a path does not have. @param allow - Those that it has; none at all for CONNECT. */
export function createMethodNotAllowed(allow: readonly string[]): ErrorWithHeaders {
  return new ErrorWithHeaders("method_not_allowed", undefined, { allow: allow.join(", ") }, { allow });
}

/**
 * Answers what no route does, before a body is read: OPTIONS with the methods of its path, another method of a path that
 * has some with 405, and everything else with 404. Preflights have been answered before (`cors.ts`).
 *
 * @returns Whether it has answered.
 * @throws SlipwayError `method_not_allowed`, `not_found`.
 */
export function answerOtherMethods(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== "OPTIONS" && !request.is404) return false;
  const url = request.raw.url!;
  // The whole server, not one path (RFC 9110, 9.3.7).
  const allowed = request.method === "OPTIONS" && url === "*" ? [...methods, "OPTIONS"] : getAllowed(app, url);
  if (allowed.length === 0) throw new SlipwayError("not_found");
  if (request.method !== "OPTIONS") throw createMethodNotAllowed(allowed);
  reply.code(204).header("allow", allowed.join(", ")).header("cache-control", "no-store").send();
  return true;
}
