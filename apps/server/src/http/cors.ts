import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { findMethods, methods } from "./answerOtherMethods.ts";
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
  "Payment-Signature",
];

/** Response headers that a page of another origin may read in addition to the safelisted headers. */
const exposedHeaders = [
  "ETag",
  "Age",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
  "WWW-Authenticate",
  "Content-Disposition",
  "Credits-Remaining",
  "Payment-Required",
  "Payment-Response",
  "Slipway-Warning",
];

/** How long a browser may cache a preflight; browsers have lower limits. */
const maxAgeSeconds = 86_400;

/** The Fetch standard's CORS protocol: the rights of pages of other origins. */
export type Cors = {
  /** Sets the headers of every response, and answers preflights with the methods of their path. */
  register(app: FastifyInstance): Promise<void>;
  /** Returns the same headers for a response that Fastify's hooks do not reach. */
  getHeaders(origin: string | undefined): Record<string, string>;
  /** Whether responses to this origin name it and cover cookies. */
  isListed(origin: string | undefined): origin is string;
};

/**
 * Creates the CORS protocol of this API. Pages of every origin may read and, with a bearer key, write: `*`, which never
 * covers cookies. A response to a listed origin names it and covers cookies. Origins are compared byte by byte, as for a
 * session (`authenticate.ts`). Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function createCors(config: Pick<Config, "SITE_URL" | "ALLOWED_ORIGINS">): Cors {
  const listed = getSiteOrigins(config);
  const isListed = (origin: string | undefined): origin is string => origin !== undefined && listed.has(origin);
  const decide = (origin: string | undefined) =>
    isListed(origin) ? { origin, credentials: true } : { origin: "*", credentials: false };
  const common = {
    // An unknown path allows all methods, so that a page can read its 404.
    methods: [...methods],
    allowedHeaders,
    exposedHeaders,
    maxAge: maxAgeSeconds,
    // `answerOtherMethods` handles other OPTIONS requests.
    strictPreflight: false,
    preflightContinue: true,
  };

  return {
    isListed,

    register: async (app) => {
      if (listed.size === 0) await app.register(cors, { ...common, ...decide(undefined) });
      // `Vary: Origin` is in every response: a cache must not reuse a response without an Origin for a listed origin.
      else
        await app.register(cors, {
          delegator: (request, callback) => callback(null, { ...common, ...decide(request.headers.origin) }),
        });
      app.addHook("onRequest", async (request, reply) => {
        if (!isPreflight(request)) return undefined;
        const fault = findHeadFault(request.raw);
        if (fault !== null) throw fault;
        const found = findMethods(app, request.raw.url!);
        if (found.length > 0) reply.header("access-control-allow-methods", found.join(", "));
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
