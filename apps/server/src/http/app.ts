import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import underPressure from "@fastify/under-pressure";
import { SlipwayError } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { createAuthenticate } from "./authenticate.ts";
import { mountHotPath } from "./mountHotPath.ts";
import { limitByAddress } from "./limits/limitRequest.ts";
import type { Limits } from "./limits/limits.ts";
import { readJsonBody } from "./readJsonBody.ts";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";
import { registerRoute } from "./registerRoute.ts";
import { createRoutes } from "./routes.ts";
import { securityHeaders, sendClientError, sendError } from "./sendError.ts";
import { serveOpenApi } from "./serveOpenApi.ts";
import { mountWebSockets } from "./webSocket/mountWebSockets.ts";

/** The whole HTTP server: guards, routes, documentation, WebSockets. Not listening yet. */
export async function buildApp(deps: Deps, limits: Limits): Promise<FastifyInstance> {
  const app = createFastify(deps);
  observeRequests(app, deps);
  endOnClose(app, deps);
  await setCommonHeaders(app, deps.config);

  // From here on an error has the headers of every response.
  app.addHook("onRequest", async (request) => refuseCredentialsInUrl(request.raw.url ?? ""));
  await shedLoad(app, deps);
  app.addHook("onRequest", async (request, reply) => {
    // What is no route of the API: the documentation, and unknown paths.
    if (request.routeOptions.config.limit === undefined) await limitByAddress(limits, "read", request, reply);
  });

  mountHotPath(app, deps, limits.consumeHotRead);
  const routes = createRoutes(deps);
  await serveOpenApi(app, deps);
  const authenticate = createAuthenticate(deps);
  mountWebSockets(app, deps, limits, authenticate);
  await app.register(async (scope) => {
    for (const route of routes) registerRoute(scope, deps, route, authenticate, limits);
  });
  return app;
}

/** Far above every JSON body of this API. */
const bodyLimitBytes = 64 * 1024;

/** Fastify with this API's parsing, validation and errors. */
function createFastify({ config, ids, log }: Deps): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    genReqId: () => ids.uuid(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    // A stream sends something every 15 seconds: a client that reads nothing for two minutes is gone.
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    http: {
      // Any other `Upgrade` (curl offers h2c) may be ignored by a server (RFC 9110, 7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
      // Two readers of the same bytes must agree where a request ends: nothing lenient.
      insecureHTTPParser: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(1_000, config.HEADERS_TIMEOUT_MS),
    },
    forceCloseConnections: "idle",
    // Fastify would log whole URLs; `observeRequests` logs the route's pattern instead.
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: true,
    exposeHeadRoutes: true,
    // Parameters of any length reach their schema, which refuses them like everything else that is malformed.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders, "x-request-id": request.id });
      sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => sendClientError(error, socket, ids.uuid()),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = config.MAX_CONNECTIONS;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    readJsonBody(body),
  );
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((_request, _reply) => {
    throw new SlipwayError("not_found");
  });
  app.decorateRequest("sentBody", undefined);
  app.decorateRequest("principal", null);
  return app;
}

/** Gives each response the request's id, and measures and logs each request. */
function observeRequests(app: FastifyInstance, { metrics }: Deps): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "none";
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.httpDuration.observe(labels, reply.elapsedTime / 1000);
    request.log.debug({ ...labels, durationMs: Math.round(reply.elapsedTime * 10) / 10 }, "request completed");
  });
}

/** Ends what would delay the close of the server. */
function endOnClose(app: FastifyInstance, { liveFeed }: Deps): void {
  app.addHook("preClose", async () => {
    // A connection becomes idle only after its last response, and would then wait for the keep-alive time.
    const timer = setInterval(() => app.server.closeIdleConnections(), 50).unref();
    app.server.once("close", () => clearInterval(timer));
  });
  app.addHook("preClose", async () => {
    // An open stream would keep the server from closing; its reader resumes elsewhere with its cursor.
    liveFeed.end();
  });
}

/** Security headers and CORS. */
async function setCommonHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      // Responses are data; the one page sets its own policy (serveOpenApi.ts).
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    hsts: config.SITE_URL?.startsWith("https:") ? { maxAge: 31_536_000 } : false,
  });
  // Any page may read and, with a bearer key, write: credentials in cookies are never part of a cross-origin request.
  await app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "DELETE", "PATCH"],
    allowedHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID"],
    exposedHeaders: ["ETag", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
    maxAge: 86_400,
  });
}

/** Requests that may wait for a database connection, for each connection of the pool. */
const maxWaitingPerConnection = 20;
const poolCheckIntervalMs = 100;
/** Long enough that a single stall does not count. */
const sampleIntervalMs = 2_000;

class Overloaded extends SlipwayError {
  constructor() {
    super("overloaded");
  }
}

/**
 * Responds 503 `overloaded` while the event loop lags, the heap is nearly full or too many requests wait for a database
 * connection, so that the others are served in time. Operators' routes (`neverShed`) and cached responses are served all
 * the same: the latter cost less than an error.
 */
async function shedLoad(app: FastifyInstance, { config, db, metrics }: Deps): Promise<void> {
  const isOverloaded = ({ waitingCount }: { waitingCount: number }) =>
    waitingCount > config.DATABASE_POOL_SIZE * maxWaitingPerConnection;
  await app.register(underPressure, {
    maxEventLoopDelay: config.MAX_EVENT_LOOP_DELAY_MS,
    maxHeapUsedBytes: config.MAX_HEAP_BYTES,
    sampleInterval: sampleIntervalMs,
    healthCheck: async () => !isOverloaded(db.api) && !isOverloaded(db.read),
    healthCheckInterval: poolCheckIntervalMs,
    pressureHandler: (request, _reply, reason) => {
      if (request.routeOptions.config.neverShed) return;
      metrics.shedRequests.inc({ reason });
      throw new Overloaded();
    },
  });
}
