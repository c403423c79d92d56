import { errorBody, type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Principal } from "../accounts/principal.ts";
import { CachedResponse, serializeJson } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { apiPrefix, type Route } from "../route.ts";
import { type Authenticate, createRefuseForeignPage } from "./authenticate.ts";
import { authorize, isMutating, withCredits } from "./guard.ts";
import { getLimitClass, limitByAddress, limitByPrincipal } from "./limits/limitRequest.ts";
import type { Limits } from "./limits/limits.ts";
import { getErrorStatus } from "./sendError.ts";

/** The responses of a route for OpenAPI: its successes, and one error response for each status of its codes. */
function describeResponses(route: Route): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries(route.answers)) {
    answers[status] = answer.schema
      ? { description: answer.description, content: { "application/json": { schema: answer.schema } } }
      : answer.contentType
        ? {
            description: answer.description,
            content: { [answer.contentType]: { schema: z.string().meta({ format: "binary" }) } },
          }
        : z.null().describe(answer.description);
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of getRouteErrors(route)) {
    const status = getErrorStatus(route, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    answers[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorRow(code).help}`).join(" "),
      content: { "application/json": { schema: errorBody } },
    };
  }
  return answers;
}

/** Sends a cacheable response with its strong ETag, or 304 when the client has it. */
function sendCacheable(request: FastifyRequest, reply: FastifyReply, { bytes, etag, contentType }: CachedResponse) {
  reply.header("cache-control", "public, max-age=10").header("etag", etag);
  const wanted = request.headers["if-none-match"];
  if (wanted?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*")) {
    return reply.code(304).send();
  }
  return reply.type(contentType).send(bytes);
}

/** Registers a route: limit, guard, input schemas, responses and caching as it declares them. */
export function registerRoute(
  app: FastifyInstance,
  deps: Deps,
  route: Route,
  authenticate: Authenticate,
  limits: Limits,
): void {
  const { query, params, headers, body } = route.schemas;
  const refuseForeignPage = createRefuseForeignPage(deps.config);
  app.route({
    method: route.method,
    url: route.site ? route.path : `${apiPrefix}${route.path}`,
    config: {
      refusedBodyStatus: route.refusedBodyStatus,
      limit: getLimitClass(route),
      ...(route.neverShed && { neverShed: true }),
    },
    schema: {
      operationId: route.name,
      tags: [route.tag],
      summary: route.summary,
      description: route.description,
      security: route.auth === "public" ? [] : [{ bearer: [] }, { session: [] }],
      ...(query && { querystring: query }),
      ...(params && { params }),
      ...(headers && { headers }),
      ...(body && { body }),
      response: describeResponses(route),
    } as object,
    onRequest: async (request, reply) => {
      const limitClass = getLimitClass(route);
      if (route.auth !== "bearer") {
        await limitByAddress(limits, limitClass, request, reply);
        if (route.sameOrigin) refuseForeignPage(request.headers);
        return;
      }
      request.principal = await limitByPrincipal(limits, limitClass, request, reply, () =>
        authenticate({ headers: request.headers, mutating: isMutating(route) }),
      );
      await authorize(deps, route, request.principal);
    },
    preValidation: async (request) => {
      if (!body) return;
      const isObject = typeof request.body === "object" && request.body !== null && !Array.isArray(request.body);
      if (!isObject) throw new SlipwayError("invalid_json", "The body must be one JSON object.");
      request.sentBody = request.body;
    },
    handler: async (request, reply) => {
      const input = {
        query: request.query,
        params: request.params,
        headers: request.headers,
        body: request.body,
        requestId: request.id,
        clientAddress: limits.clientAddress(request.raw),
        request,
        reply,
      };
      const answer =
        route.auth === "bearer"
          ? await withCredits(deps, route, request.principal as Principal, request.id, () =>
              route.handle({ ...input, principal: request.principal as Principal }),
            )
          : await route.handle(input);
      if (answer instanceof CachedResponse) {
        if (answer.etag !== null) return sendCacheable(request, reply, answer);
        return reply.header("cache-control", "no-store").type(answer.contentType).send(answer.bytes);
      }
      if (route.cache === "public-10s") {
        const schema = route.answers[200]?.schema;
        return sendCacheable(request, reply, serializeJson(schema ? schema.parse(answer) : answer));
      }
      reply.header("cache-control", "no-store");
      return reply.send(answer);
    },
  });
}

/** Every error code of a route: its own, and those of its limit, its guard and its kinds of input. */
export function getRouteErrors(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(["credentials_in_url", ...route.errors]);
  if (route.sameOrigin) codes.add("invalid_origin");
  if (route.auth === "bearer") {
    for (const code of ["unauthorized", "scope_required", "storage_unavailable"] as const) codes.add(code);
    if (isMutating(route)) codes.add("invalid_origin");
    if (route.recentSignIn) codes.add("reauthentication_required");
    if (route.plan) codes.add("plan_required");
    if (route.credits) codes.add("insufficient_credits");
  }
  if (getLimitClass(route) !== "none") codes.add("rate_limited");
  if (route.schemas.body) codes.add("invalid_fields");
  // A mutating route reads a body also where it declares none.
  if (isMutating(route)) for (const code of ["invalid_json", "body_too_large"] as const) codes.add(code);
  if (route.schemas.query) codes.add("invalid_query");
  if (route.schemas.params) codes.add("invalid_address");
  if (route.schemas.headers) codes.add("idempotency_key_missing");
  return [...codes];
}
