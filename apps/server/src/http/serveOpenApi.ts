import apiReference from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import { type CachedResponse, serializeJson } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { apiPrefix, type Route } from "../route.ts";
import { createAsyncApiDocument } from "./asyncApi/createAsyncApiDocument.ts";
import { createOpenApiDocument } from "./openApi/createOpenApiDocument.ts";
import { sendCacheable } from "./registerRoute.ts";

/** The reference page's script and styles are inline; it loads nothing from other sites. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(";");

/**
 * Serves the OpenAPI document, generated from the routes' schemas, a reference page without external assets, and the AsyncAPI
 * document of the streams.
 */
export async function serveOpenApi(app: FastifyInstance, deps: Deps, routes: readonly Route[]): Promise<void> {
  // The routes do not change while the process runs.
  let document: CachedResponse | null = null;
  app.get(`${apiPrefix}/openapi.json`, async (request, reply) => {
    document ??= serializeJson(createOpenApiDocument(routes, deps.config));
    return sendCacheable(request, reply, document, 60);
  });
  let streams: CachedResponse | null = null;
  app.get(`${apiPrefix}/asyncapi.json`, async (request, reply) => {
    streams ??= serializeJson(createAsyncApiDocument(deps.config));
    return sendCacheable(request, reply, streams, 60);
  });
  app.addHook("onSend", async (request, reply) => {
    if (!/^\/docs(?:[/?]|$)/.test(request.url)) return;
    reply.header("content-security-policy", referencePolicy);
    // The page's script is large and changes only with a release. An error would replace it in a cache.
    if (reply.statusCode < 400 && request.url.startsWith("/docs/js/"))
      reply.header("cache-control", "public, max-age=86400");
  });
  await app.register(apiReference, {
    routePrefix: "/docs",
    configuration: {
      url: `${apiPrefix}/openapi.json`,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
      theme: "default",
    } as object,
  });
}
