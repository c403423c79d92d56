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
 * Serves the OpenAPI documents of everyone and of the operator, generated from the routes' schemas, a reference page without
 * external assets, and the AsyncAPI document of the streams.
 */
export async function serveOpenApi(app: FastifyInstance, deps: Deps, routes: readonly Route[]): Promise<void> {
  const serveDocument = (name: string, create: () => object) => {
    // The routes do not change while the process runs.
    let document: CachedResponse | null = null;
    app.get(`${apiPrefix}/${name}`, async (request, reply) => {
      document ??= serializeJson(create());
      return sendCacheable(request, reply, document, 60);
    });
  };
  serveDocument("openapi.json", () => createOpenApiDocument(routes, deps.config));
  serveDocument("openapi-admin.json", () => createOpenApiDocument(routes, deps.config, "operator"));
  serveDocument("asyncapi.json", () => createAsyncApiDocument(deps.config));
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
      pageTitle: "Slipway API",
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
