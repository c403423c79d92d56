import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { ErrorWithHeaders } from "./sendError.ts";

/** The methods of this service. A route with GET has HEAD, and every path has OPTIONS. */
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies HTTPMethods[];

/** Returns the methods that have a route for the path of a URL, without OPTIONS. */
export const findMethods = (app: FastifyInstance, url: string): string[] =>
  methods.filter((method) => app.findRoute({ method, url }) !== null);

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
  const found = request.method === "OPTIONS" && url === "*" ? methods : findMethods(app, url);
  if (found.length === 0) throw new SlipwayError("not_found");
  const allowed = [...found, "OPTIONS"];
  if (request.method !== "OPTIONS") throw createMethodNotAllowed(allowed);
  reply.code(204).header("allow", allowed.join(", ")).header("cache-control", "no-store").send();
  return true;
}
