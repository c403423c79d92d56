import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import helmet from "@fastify/helmet";
import { SlipwayError } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { serveAlertPages } from "../features/alerts/pages.ts";
import type { RefusedVia } from "../metrics.ts";
import type { Route } from "../route.ts";
import { answerOtherMethods, createMethodNotAllowed } from "./answerOtherMethods.ts";
import { createAuthenticate } from "./authenticate.ts";
import { type Cors, createCors, registerPreflights } from "./cors.ts";
import { findHeadFault } from "./findHeadFault.ts";
import { findIgnoredUpgrade, isWebSocketUpgrade } from "./ignoredUpgrades.ts";
import { limitByAddress } from "./limits/limitRequest.ts";
import type { Limits } from "./limits/limits.ts";
import { limitUnread } from "./limitUnread.ts";
import { mountHotPath } from "./mountHotPath.ts";
import { readJsonBody } from "./readJsonBody.ts";
import { createTakeUpload } from "./readUpload.ts";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";
import { registerRoute } from "./registerRoute.ts";
import { createRoutes } from "./routes.ts";
import { endSocketInTurn, type SentError, securityHeaders, sendClientError, sendError } from "./sendError.ts";
import { serveOpenApi } from "./serveOpenApi.ts";
import { shedLoad } from "./shedLoad.ts";
import { type ServedSite, serveSite } from "./site/serveSite.ts";
import { compileValidator } from "./validateInput.ts";
import { mountWebSockets } from "./webSocket/mountWebSockets.ts";

/** The whole HTTP server: guards, routes, documentation, WebSockets. Not listening yet. */
export async function buildApp(deps: Deps, limits: Limits): Promise<FastifyInstance> {
  const cors = createCors(deps.config);
  const app = createFastify(deps, cors);
  // The first hook runs at once, when no later request of the connection has been read.
  endAfterIgnoredUpgrade(app);
  observeRequests(app, deps);
  answerNodeEvents(app, deps);
  const isClosing = endOnClose(app, deps);
  await setCommonHeaders(app, deps.config);
  await cors.register(app);

  // From here on an error has the headers of every response.
  app.addHook("onRequest", async (request) => {
    if (isClosing()) throw new SlipwayError("overloaded", "The server is stopping.");
    refuseByHead(request);
  });
  shedLoad(app, deps);
  limitUnread(app, limits);
  let site: ServedSite | null = null;
  app.addHook("onRequest", async (request, reply) => {
    // What is no route of the API: the documentation, the site, and unknown paths.
    if (request.routeOptions.config.limit === undefined) await limitByAddress(limits, "read", request, reply);
    if (request.is404 && (await site?.answerPage(request, reply))) return reply;
    return answerOtherMethods(app, request, reply) ? reply : undefined;
  });

  mountHotPath(app, deps, limits.consumeHotRead, cors.isListed);
  const routes = createRoutes(deps);
  await serveOpenApi(app, deps, routes);
  site = await serveSite(app, deps, routes);
  // The site has these pages too; without it the links of mails lead to pages that work by themselves.
  if (site === null) serveAlertPages(app);
  const authenticate = createAuthenticate(deps);
  mountWebSockets(app, deps, limits, authenticate);
  registerPreflights(app, routes);
  const takeUpload = createTakeUpload();
  const register = (scope: FastifyInstance, route: Route) =>
    registerRoute(scope, deps, route, authenticate, limits, takeUpload);
  await app.register(async (scope) => {
    for (const route of routes) if (!route.file && !route.ignoredBody) register(scope, route);
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, _body, done) => done(null));
    for (const route of routes) if (route.ignoredBody) register(scope, route);
  });
  await app.register(async (scope) => {
    // The reader of uploads reads the body, whatever it is called.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const route of routes) if (route.file) register(scope, route);
  });
  return app;
}

/** Far above every JSON body of this API. */
const bodyLimitBytes = 64 * 1024;

/** Fastify with this API's parsing, validation and errors. */
function createFastify({ config, ids, log, metrics }: Deps, { getHeaders }: Cors): FastifyInstance {
  const count = (via: RefusedVia, sent: SentError | null) => {
    if (sent !== null && sent.status < 500) metrics.refused.inc({ via, code: sent.code });
  };
  const app = fastify({
    loggerInstance: log,
    genReqId: () => ids.uuid(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    // A stream sends something every 15 seconds: a client that reads nothing for two minutes is gone.
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    http: {
      shouldUpgradeCallback: isWebSocketUpgrade,
      // `findHeadFault` refuses a request without one, with an Error.
      requireHostHeader: false,
      // Two readers of the same bytes must agree where a request ends: nothing lenient.
      insecureHTTPParser: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(1_000, config.HEADERS_TIMEOUT_MS),
    },
    forceCloseConnections: "idle",
    // Fastify would log whole URLs; `observeRequests` logs the route's pattern instead.
    logController: new LogController({ disableRequestLogging: true }),
    // A hook answers 503, with an Error.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    // Parameters of any length reach their schema, which refuses them like everything else that is malformed.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      // No hook runs for a path that cannot be read.
      reply.headers({ ...securityHeaders, ...getHeaders(request.headers.origin), "x-request-id": request.id });
      if (findIgnoredUpgrade(request.raw) !== null) reply.header("connection", "close");
      let refusal: unknown = error;
      try {
        refuseByHead(request);
      } catch (fault) {
        refusal = fault;
      }
      count("request", sendError(refusal, request, reply));
    },
    clientErrorHandler: (error, socket) => count("connection", sendClientError(error, socket, ids.uuid())),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = config.MAX_CONNECTIONS;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    readJsonBody(body),
  );
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => count("request", sendError(error, request, reply)));
  app.setNotFoundHandler((_request, _reply) => {
    throw new SlipwayError("not_found");
  });
  app.decorateRequest("sentBody", undefined);
  app.decorateRequest("principal", null);
  return app;
}

/** @throws SlipwayError what `findHeadFault` finds, and `credentials_in_url`. */
function refuseByHead({ raw, routeOptions }: FastifyRequest): void {
  const fault = findHeadFault(raw);
  if (fault !== null) throw fault;
  refuseCredentialsInUrl(raw.url!, routeOptions.config);
}

/** Lets a request whose `Upgrade` is ignored be the last one of its connection. */
function endAfterIgnoredUpgrade(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    const ignored = findIgnoredUpgrade(request.raw);
    if (ignored === "own") reply.header("connection", "close");
    if (ignored !== "earlier") return undefined;
    // Nobody may have meant this as a request.
    request.raw.socket.destroy();
    return reply.hijack();
  });
}

/** Answers what Node.js would answer without an Error, or not at all, because no request begins with it. */
function answerNodeEvents(app: FastifyInstance, { ids }: Deps): void {
  // Fastify's handler, not the event `request`: cached responses are not for it.
  app.server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    app.routing(request, response),
  );
  // This is no proxy.
  app.server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    socket.on("error", () => undefined);
    endSocketInTurn(socket, createMethodNotAllowed([]), ids.uuid());
  });
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

/**
 * Ends what would delay the close of the server.
 *
 * @returns Whether it is closing: requests that come over connections that are still open are refused.
 */
function endOnClose(app: FastifyInstance, { liveFeed }: Deps): () => boolean {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
    // A connection becomes idle only after its last response, and would then wait for the keep-alive time.
    const timer = setInterval(() => app.server.closeIdleConnections(), 50).unref();
    app.server.once("close", () => clearInterval(timer));
  });
  app.addHook("preClose", async () => {
    // An open stream would keep the server from closing; its reader resumes elsewhere with its cursor.
    liveFeed.end();
  });
  return () => closing;
}

/** The headers that protect a browser. */
async function setCommonHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      // Responses are data; pages set their own policies (serveOpenApi.ts, site/serveSite.ts).
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    hsts: config.SITE_URL?.startsWith("https:") ? { maxAge: 31_536_000 } : false,
  });
}
