import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Principal } from "../accounts/principal.ts";
import { CachedResponse, serializeJson } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { apiPrefix, type GuardedRoute, type Route } from "../route.ts";
import { type Authenticate, createRefuseForeignPage } from "./authenticate.ts";
import { authorize, isMutating } from "./guard.ts";
import { getLimitClass, limitByAddress, limitByPrincipal } from "./overload/limitRequest.ts";
import type { Limits } from "./overload/limits.ts";
import type { TakeUpload } from "./readUpload.ts";
import { sendImmutable } from "./sendImmutable.ts";
import { addressFields, createCheckQuery } from "./validateInput.ts";

/** The schemas that serialize a route's answers, by status; errors and bytes have none. */
function getAnswerSchemas(route: Route): Record<string, z.ZodType> {
  const withSchema = Object.entries(route.answers).filter(([, { schema }]) => schema !== undefined);
  return Object.fromEntries(withSchema.map(([status, { schema }]) => [status, schema!]));
}

/** Sends a cacheable response with its strong ETag, or 304 if the client has it. */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag, contentType }: CachedResponse,
  maxAgeSeconds = 10,
) {
  reply.header("cache-control", `public, max-age=${maxAgeSeconds}`).header("etag", etag);
  const wanted = request.headers["if-none-match"];
  if (wanted?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag || tag.trim() === "*")) {
    return reply.code(304).send();
  }
  return reply.type(contentType).send(bytes);
}

/** Above this maximum, the JSON bodies of a route are limited in number. */
const largeBodyBytes = 256 * 1024;

/** Registers a route with its rate limit, guard, input schemas, responses and caching. */
export function registerRoute(
  app: FastifyInstance,
  deps: Deps,
  route: Route,
  authenticate: Authenticate,
  limits: Limits,
  takeUpload: TakeUpload,
): void {
  const { query, params, headers, body } = route.schemas;
  const checkQuery = createCheckQuery(route);
  const refuseForeignPage = createRefuseForeignPage(deps.config);
  app.route({
    method: route.method,
    ...(route.bodyLimit && { bodyLimit: route.bodyLimit.bytes }),
    url: route.site ? route.path : `${apiPrefix}${route.path}`,
    config: {
      refusedBodyStatus: route.refusedBodyStatus,
      ...(route.bodyLimit && { tooLargeField: route.bodyLimit.field }),
      limit: getLimitClass(route),
      ...(route.file && { takesFile: true }),
      ...(route.neverShed && { neverShed: true }),
      takesToken: query instanceof z.ZodObject && "token" in query.shape,
    },
    schema: {
      ...(query && { querystring: query }),
      ...(params && { params }),
      ...(headers && { headers }),
      ...(body && { body }),
      response: getAnswerSchemas(route),
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
      if ((route.bodyLimit?.bytes ?? 0) > largeBodyBytes) limits.takeLargeBody(request.raw, reply.raw);
    },
    preValidation: async (request) => {
      checkQuery(request.query);
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
        file: Buffer.alloc(0),
      };
      const answer =
        route.auth === "bearer"
          ? await handleGuarded(route, limits, takeUpload, {
              ...input,
              principal: request.principal as Principal,
            })
          : await route.handle(input);
      if (answer instanceof CachedResponse) {
        if (route.cache === "immutable") return sendImmutable(request, reply, answer);
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

/** Handles a request of an account within its limit of concurrent requests. */
async function handleGuarded(
  route: GuardedRoute,
  limits: Limits,
  takeUpload: TakeUpload,
  input: Parameters<GuardedRoute["handle"]>[0],
): Promise<unknown> {
  const { clientAddress, request } = input;
  const { accountId } = input.principal;
  return await limits.limitConcurrency(accountId, async () => {
    if (route.file === undefined) return await route.handle(input);
    const upload = { request: request.raw, file: route.file, uploader: { accountId, clientAddress } };
    return await takeUpload(upload, async (file) => await route.handle({ ...input, file }));
  });
}

/** Errors that every request can have. */
const commonErrors = [
  "invalid_request",
  "unsupported_encoding",
  "credentials_in_url",
  "request_timeout",
  "headers_too_large",
  "internal_error",
] as const;

/** Returns every error code of a route: its own, and the codes of every request, of its limit, guard and input. */
export function getRouteErrors(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...commonErrors, ...route.errors]);
  if (!route.neverShed) codes.add("overloaded");
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
  // A mutating route reads a body even if it declares none.
  if (route.file) codes.add(route.file.tooLarge);
  else if (isMutating(route)) {
    if (!route.ignoredBody) codes.add("invalid_json");
    if (!route.bodyLimit) codes.add("body_too_large");
  }
  if (route.cache === "immutable") codes.add("range_not_satisfiable");
  if (!route.foreignQuery) codes.add("invalid_query");
  if (getNames(route.schemas.params).some((name) => addressFields.has(name))) codes.add("invalid_address");
  if (getNames(route.schemas.headers).includes("idempotency-key")) codes.add("idempotency_key_missing");
  return [...codes];
}

/** Returns the member names of an object schema. */
const getNames = (schema: z.ZodType | undefined) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);
