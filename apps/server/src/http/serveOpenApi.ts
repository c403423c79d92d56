import fastify, { type FastifyInstance, type LightMyRequestResponse } from "fastify";
import { type CachedResponse, serializeJson } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { apiPrefix, type Route } from "../route.ts";
import { createAsyncApiDocument } from "./asyncApi/createAsyncApiDocument.ts";
import { createOpenApiDocument } from "./openApi/createOpenApiDocument.ts";
import { sendCacheable } from "./registerRoute.ts";

const referencePath = "/docs";

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
export function serveOpenApi(app: FastifyInstance, deps: Deps, routes: readonly Route[]): void {
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
  serveReference(app);
}

/**
 * Serves the reference page, which is loaded at its first request: its script occupies 60 MB of memory. The answers do not
 * change, so that all requests share their bytes.
 */
function serveReference(app: FastifyInstance): void {
  let reference: Promise<FastifyInstance> | null = null;
  for (const url of [referencePath, `${referencePath}/`, `${referencePath}/js/scalar.js`]) {
    let answer: Promise<LightMyRequestResponse> | null = null;
    app.get(url, async (_request, reply) => {
      reference ??= createReference();
      answer ??= reference.then((loaded) => loaded.inject({ url }));
      const { statusCode, headers, rawPayload } = await answer;
      if (headers.location !== undefined) reply.header("location", headers.location);
      return reply
        .code(statusCode)
        .type(headers["content-type"] ?? "text/plain")
        .send(rawPayload);
    });
  }
}

async function createReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(apiReference, {
    routePrefix: referencePath,
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
  return app;
}
