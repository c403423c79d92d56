import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import { SlipwayError } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import type { Deps } from "../deps.ts";
import { mountHotPath } from "../readModel/mountHotPath.ts";
import { answerError } from "./answerError.ts";
import { createAuthenticate } from "./authenticate.ts";
import { serveOpenApi } from "./openapi.ts";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";
import { registerRoute } from "./registerRoute.ts";
import { allRoutes } from "./routes.ts";

/** No body of this API but an image comes near this. */
const bodyLimitBytes = 64 * 1024;

/** The whole HTTP server: guards, routes, documentation. Not listening yet. */
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: deps.log,
    genReqId: () => deps.ids.uuid(),
    trustProxy: deps.config.TRUST_PROXY,
    bodyLimit: bodyLimitBytes,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    onProtoPoisoning: "error",
    onConstructorPoisoning: "error",
    // The framework would log whole URLs; `onResponse` below logs the route's pattern instead.
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: true,
    exposeHeadRoutes: true,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  }) as unknown as FastifyInstance;

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
    refuseCredentialsInUrl(request.raw.url ?? "");
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

  mountHotPath(app, deps);
  const routes = allRoutes(deps);
  await serveOpenApi(app, deps);
  const authenticate = createAuthenticate(deps);
  await app.register(async (scope) => {
    for (const route of routes) registerRoute(scope, route, authenticate);
  });
  return app;
}
