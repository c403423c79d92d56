import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { apiPrefix, type Route } from "../route.ts";
import { findHeadFault } from "./wire/findHeadFault.ts";

/** The origins whose pages may use a session, exactly as browsers send them. */
export function getSiteOrigins(config: Pick<Config, "SITE_URL" | "ALLOWED_ORIGINS">): ReadonlySet<string> {
  return new Set([
    ...(config.SITE_URL === undefined ? [] : [new URL(config.SITE_URL).origin]),
    ...config.ALLOWED_ORIGINS,
  ]);
}

/** Request headers that the API reads and that a browser sends to another origin only with permission. */
const allowedHeaders = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Last-Event-ID",
];

/** Response headers that a page of another origin may read, beside those that it always may. */
const exposedHeaders = [
  ...["ETag", "Age", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id"],
  ...["WWW-Authenticate", "Content-Disposition", "Credits-Remaining"],
];

/** Of an unknown path all methods are allowed: a page then reads its 404 and not that the browser refused. */
const allMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** How long a browser may cache a preflight; each has a lower bound of its own. */
const maxAgeSeconds = 86_400;

/** What pages of other origins may do: the Fetch standard's CORS protocol. */
export type Cors = {
  /** Sets the headers of every response, and answers preflights. */
  register(app: FastifyInstance): Promise<void>;
  /** The same headers, for a response that Fastify's hooks do not reach. */
  getHeaders(origin: string | undefined): Record<string, string>;
  /** Whether responses to this origin have other headers than those to the rest. */
  isListed(origin: string | undefined): origin is string;
};

/**
 * Pages of every origin may read and, with a bearer key, write: `*`, which never covers cookies. A response to a listed
 * origin names it and covers cookies; the origin is compared byte for byte, like that of a session
 * (`authenticate.ts`). Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function createCors(config: Pick<Config, "SITE_URL" | "ALLOWED_ORIGINS">): Cors {
  const listed = getSiteOrigins(config);
  const isListed = (origin: string | undefined): origin is string => origin !== undefined && listed.has(origin);
  const decide = (origin: string | undefined) =>
    isListed(origin) ? { origin, credentials: true } : { origin: "*", credentials: false };
  const common = {
    ...{ methods: allMethods, allowedHeaders, exposedHeaders, maxAge: maxAgeSeconds },
    // Other requests with OPTIONS go on to `answerOtherMethods`.
    ...{ strictPreflight: false, preflightContinue: true },
  };

  return {
    isListed,

    register: async (app) => {
      if (listed.size === 0) await app.register(cors, { ...common, ...decide(undefined) });
      // With `Vary: Origin`, also in responses to requests without one: a cache must not give them to a listed origin.
      else
        await app.register(cors, {
          delegator: (request, callback) => callback(null, { ...common, ...decide(request.headers.origin) }),
        });
      app.addHook("onRequest", async (request, reply) => {
        if (!isPreflight(request)) return undefined;
        const fault = findHeadFault(request.raw);
        if (fault !== null) throw fault;
        return reply.code(204).send();
      });
    },

    getHeaders: (origin) => {
      const decided = decide(origin);
      return {
        "access-control-allow-origin": decided.origin,
        "access-control-expose-headers": exposedHeaders.join(", "),
        ...(decided.credentials ? { "access-control-allow-credentials": "true" } : {}),
        ...(listed.size === 0 ? {} : { vary: "Origin" }),
      };
    },
  };
}

/** Source: Fetch, 3.3.2 (CORS-preflight request). */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** Lets the preflight of each path allow the methods that the path has. */
export function registerPreflights(app: FastifyInstance, routes: readonly Route[]): void {
  const toUrl = ({ path, site }: Route) => (site ? path : `${apiPrefix}${path}`);
  for (const [url, ofPath] of Map.groupBy(routes, toUrl)) {
    const methods = allMethods.filter((method) =>
      ofPath.some((route) => route.method === (method === "HEAD" ? "GET" : method)),
    );
    // Answered by the hook of `register`.
    app.options(url, { schema: { hide: true } as object, config: { cors: { methods } } }, async () => null);
  }
}
