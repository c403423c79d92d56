import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import { SlipwayError } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import type { Deps } from "../deps.ts";
import { mountHotPath } from "./mountHotPath.ts";
import { mountWebSockets } from "./webSocket/mountWebSockets.ts";
import { answerClientError, answerError, securityHeaders } from "./answerError.ts";
import { createAuthenticate } from "./authenticate.ts";
import { limitByAddress } from "./limits/limitRequest.ts";
import type { Limits } from "./limits/limits.ts";
import { serveOpenApi } from "./openapi.ts";
import { readJsonBody } from "./readJsonBody.ts";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";
import { registerRoute } from "./registerRoute.ts";
import { allRoutes } from "./routes.ts";
import { shedLoad } from "./shedLoad.ts";

/** No body of this API but an image comes near this. */
const bodyLimitBytes = 64 * 1024;

/** The whole HTTP server: guards, routes, documentation. Not listening yet. */
export async function buildApp(deps: Deps, limits: Limits): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: deps.log,
    genReqId: () => deps.ids.uuid(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: deps.config.REQUEST_TIMEOUT_MS,
    // A stream says something every 15 seconds: who takes nothing for two minutes is gone.
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    http: {
      // Any other `Upgrade` (curl offers h2c) is an offer that a server may pass over (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
      // Two readers of one stream of bytes must agree where a request ends: nothing lenient.
      insecureHTTPParser: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: deps.config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(1_000, deps.config.HEADERS_TIMEOUT_MS),
    },
    forceCloseConnections: "idle",
    // The framework would log whole URLs; `onResponse` below logs the route's pattern instead.
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: true,
    exposeHeadRoutes: true,
    // Parameters of any length reach their schema, which refuses them like everything else that is malformed.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders, "x-request-id": request.id });
      answerError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, deps.ids.uuid()),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = deps.config.MAX_CONNECTIONS;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    readJsonBody(body),
  );

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, _reply) => {
    throw new SlipwayError("not_found");
  });
  app.decorateRequest("sentBody", undefined);
  app.decorateRequest("principal", null);

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    deps.metrics.httpDuration.observe(labels, reply.elapsedTime / 1000);
    request.log.debug({ ...labels, ms: Math.round(reply.elapsedTime * 10) / 10 }, "answered");
  });

  app.addHook("preClose", async () => {
    // A connection whose request was under way is idle only after the answer, and would then hold the server up for
    // the whole keep-alive time.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50).unref();
    app.server.once("close", () => clearInterval(sweep));
  });
  app.addHook("preClose", async () => {
    // An open stream would keep the server from closing; its reader resumes elsewhere with its cursor.
    deps.liveFeed.end();
  });

  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      // Answers are data; the one page there is sets its own policy (openapi.ts).
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    hsts: deps.config.SITE_URL?.startsWith("https:") ? { maxAge: 31_536_000 } : false,
  });
  // Any page may read and, with a bearer key, write: credentials in cookies are never part of a cross-origin request.
  await app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "DELETE", "PATCH"],
    allowedHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID"],
    exposedHeaders: ["ETag", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
    maxAge: 86_400,
  });

  // From here on a refusal has the headers of every answer.
  app.addHook("onRequest", async (request) => refuseCredentialsInUrl(request.raw.url ?? ""));
  await shedLoad(app, deps);
  app.addHook("onRequest", async (request, reply) => {
    // What is no route of the API: the documentation, and paths where there is nothing.
    if (request.routeOptions.config.limit === undefined) await limitByAddress(limits, "read", request, reply);
  });

  mountHotPath(app, deps, limits.admitHot);
  const routes = allRoutes(deps);
  await serveOpenApi(app, deps);
  const authenticate = createAuthenticate(deps);
  mountWebSockets(app, deps, limits, authenticate);
  await app.register(async (scope) => {
    for (const route of routes) registerRoute(scope, deps, route, authenticate, limits);
  });
  return app;
}
