import helmet from "@fastify/helmet";
import { SlipwayError } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { serveAlertPages } from "../features/alerts/pages.ts";
import type { Observer } from "../observer/createObserver.ts";
import type { Route } from "../route.ts";
import { answerOtherMethods } from "./answerOtherMethods.ts";
import { createAuthenticate } from "./authenticate.ts";
import { type Cors, createCors } from "./cors.ts";
import { serveEmbed } from "./embed/serveEmbed.ts";
import { serveGuides } from "./guides/serveGuides.ts";
import { createOfferPayment } from "./offerPayment.ts";
import { createPeerAddress } from "./overload/clientAddress.ts";
import { limitByAddress } from "./overload/limitRequest.ts";
import type { Limits } from "./overload/limits.ts";
import { limitUnread } from "./overload/limitUnread.ts";
import { shedLoad } from "./overload/shedLoad.ts";
import { readJsonBody } from "./readJsonBody.ts";
import { createTakeUpload } from "./readUpload.ts";
import { refuseCredentialsInUrl } from "./refuseCredentialsInUrl.ts";
import { registerRoute } from "./registerRoute.ts";
import { createRoutes } from "./routes.ts";
import { type SentError, sendError } from "./sendError.ts";
import { serveOpenApi } from "./serveOpenApi.ts";
import { type ServedSite, serveSite } from "./site/serveSite.ts";
import { compileValidator } from "./validateInput.ts";
import { mountWebSockets } from "./webSocket/mountWebSockets.ts";
import { createWire, type Wire } from "./wire/createWire.ts";
import { securityHeaders } from "./wire/endSocket.ts";
import { findHeadFault } from "./wire/findHeadFault.ts";
import { openHotPath, recordCachedResponses } from "./wire/hotPath.ts";

/** Builds the HTTP server: guards, routes, documentation, WebSockets. It does not listen yet. */
export async function buildApp(deps: Deps, limits: Limits): Promise<FastifyInstance> {
  const cors = createCors(deps.config);
  const hotPath = openHotPath(deps, limits.consumeHotRead, cors.isListed);
  const app = createFastify(deps, cors, createWire(deps, hotPath));
  observeRequests(app, deps);
  const isClosing = endOnClose(app, deps);
  await setCommonHeaders(app, deps.config);
  await cors.register(app);

  // Errors of the hooks and handlers below have the headers of every response.
  app.addHook("onRequest", async (request) => {
    if (isClosing()) throw new SlipwayError("overloaded", "The server is stopping.");
    refuseByHead(request);
  });
  shedLoad(app, deps);
  limitUnread(app, limits);
  closeAboveLimit(app, deps.config);
  let site: ServedSite | null = null;
  app.addHook("onRequest", async (request, reply) => {
    // The documentation, the site, and unknown paths are not routes of the API.
    if (request.routeOptions.config.limit === undefined) await limitByAddress(limits, "read", request, reply);
    if (request.is404 && (await site?.answerPage(request, reply))) return reply;
    return answerOtherMethods(app, request, reply) ? reply : undefined;
  });

  recordCachedResponses(app, deps, hotPath);
  const routes = createRoutes(deps);
  serveOpenApi(app, deps, routes);
  serveGuides(app, deps);
  serveEmbed(app, deps);
  site = await serveSite(app, deps, routes);
  // The site also contains these pages. Without a site, the server's own pages serve the links in mails.
  if (site === null) serveAlertPages(app);
  const authenticate = createAuthenticate(deps);
  mountWebSockets(app, deps, limits, authenticate);
  if (deps.config.MCP) {
    // Its tools and their validator take a seventh of the time of a start.
    const { serveMcp } = await import("./serveMcp.ts");
    serveMcp(app, deps, limits, authenticate);
  }
  const takeUpload = createTakeUpload(deps.config.UPLOAD_MIN_BYTES_PER_SECOND);
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
    // The upload reader reads the body, whatever its Content-Type is.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const route of routes) if (route.file) register(scope, route);
  });
  return app;
}

/** Far larger than every JSON body of this API. */
const bodyLimitBytes = 64 * 1024;

/** Creates Fastify with this API's parsing, validation and errors. */
function createFastify(deps: Deps, { getHeaders }: Cors, wire: Wire): FastifyInstance {
  const { ids, log, metrics } = deps;
  const offerPayment = createOfferPayment(deps);
  const count = ({ status, code }: SentError) => {
    if (status < 500) metrics.refused.inc({ via: "request", code });
  };
  const app = fastify({
    ...wire,
    loggerInstance: log,
    genReqId: () => ids.uuid(),
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: "idle",
    // Fastify would log whole URLs; `observeRequests` logs the route's pattern instead.
    logController: new LogController({ disableRequestLogging: true }),
    // A hook answers 503, with an Error.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    // Parameters of any length reach their schema, which refuses malformed ones.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      // Fastify runs no hook for an unreadable path.
      reply.headers({ ...securityHeaders, ...getHeaders(request.headers.origin), "x-request-id": request.id });
      let refusal: unknown = error;
      try {
        refuseByHead(request);
      } catch (fault) {
        refusal = fault;
      }
      count(sendError(refusal, request, reply));
    },
  }) as unknown as FastifyInstance;
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_request: unknown, body: Buffer) =>
    readJsonBody(body),
  );
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => count(sendError(offerPayment(error, request), request, reply)));
  app.setNotFoundHandler((_request, _reply) => {
    throw new SlipwayError("not_found");
  });
  app.decorateRequest("sentBody", undefined);
  app.decorateRequest("principal", null);
  return app;
}

/** @throws SlipwayError the fault of `findHeadFault`; `credentials_in_url`. */
function refuseByHead({ raw, routeOptions }: FastifyRequest): void {
  const fault = findHeadFault(raw);
  if (fault !== null) throw fault;
  refuseCredentialsInUrl(raw.url!, routeOptions.config);
}

/** Adds the request's id to each response, and measures and logs each request. */
function observeRequests(app: FastifyInstance, { metrics, observer }: Deps): void {
  if (observer !== undefined) traceRequests(app, observer);
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

/** Lets the observer measure each request. Cached responses of the hot path are not traced. */
function traceRequests(app: FastifyInstance, observer: Observer): void {
  const ends = new WeakMap<FastifyRequest, (route: string, status: number) => void>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { run, end } = observer.startRequest(request);
    ends.set(request, end);
    run(done);
  });
  const end = (request: FastifyRequest, status: number) => {
    ends.get(request)?.(request.routeOptions.url ?? "none", status);
    ends.delete(request);
  };
  app.addHook("onResponse", async (request, reply) => end(request, reply.statusCode));
  // nginx's status of a client that left.
  app.addHook("onRequestAbort", async (request) => end(request, 499));
}

/**
 * Ends connections and streams that would delay the close of the server.
 *
 * @returns A function that tells whether the server is closing; requests over open connections are then refused.
 */
function endOnClose(app: FastifyInstance, { liveFeed }: Deps): () => boolean {
  let closing = false;
  let closeIdle: NodeJS.Timeout | undefined;
  app.addHook("preClose", async () => {
    closing = true;
    // A connection becomes idle after its last response, and would then stay open for the keep-alive time.
    closeIdle = setInterval(() => app.server.closeIdleConnections(), 50).unref();
  });
  app.addHook("onClose", async () => clearInterval(closeIdle));
  app.addHook("preClose", async () => {
    // An open stream would prevent the close; its reader resumes with its cursor at another server.
    liveFeed.end();
  });
  return () => closing;
}

/**
 * Closes a connection after a 429, because a refused client would otherwise keep it for the keep-alive time. The connection
 * of a trusted proxy stays open: other clients use it, and a reconnection for each refusal would exhaust the proxy's ports.
 */
function closeAboveLimit(app: FastifyInstance, { TRUST_PROXY }: Config): void {
  const getPeerAddress = createPeerAddress(TRUST_PROXY);
  app.addHook("onSend", async ({ raw }, reply, payload) => {
    // A client that still sends its body would get a reset instead of the response.
    const isRead = raw.complete || (raw.headers["content-length"] ?? raw.headers["transfer-encoding"]) === undefined;
    if (reply.statusCode === 429 && isRead && getPeerAddress(raw.socket) !== null) reply.header("connection", "close");
    return payload;
  });
}

/** Sets the security headers of every response. */
async function setCommonHeaders(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      // Responses are data. Pages set their own policies (serveOpenApi.ts, site/serveSite.ts).
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: "deny" },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    hsts: config.SITE_URL?.startsWith("https:") ? { maxAge: 31_536_000 } : false,
  });
}
