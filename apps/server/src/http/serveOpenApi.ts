import swagger from "@fastify/swagger";
import apiReference from "@scalar/fastify-api-reference";
import { errorTable } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { Deps } from "../deps.ts";
import { getSessionCookieName } from "../providers/identity/signInSettings.ts";
import { apiPrefix } from "../route.ts";

const errorList = Object.entries(errorTable)
  .map(([code, row]) => `- **${row.status}** \`${code}\`${row.retryable ? " (try again)" : ""}: ${row.help}`)
  .join("\n");

const description = `A noncustodial token launchpad: it prepares unsigned transactions and never holds a user's key.

Bodies are JSON. Amounts are decimal strings in base units; prices are numbers or null when unknown.
Send an API key as \`Authorization: Bearer\`, or come with the session of a page of this site; where both are sent the key
decides. Credentials in URLs are refused.

Errors have a status, a code and what to do:

${errorList}`;

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

/** Serves the OpenAPI document, generated from the routes' schemas, and a reference page without external assets. */
export async function serveOpenApi(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Slipway", version: "0.1.0", description, license: { name: "MIT", identifier: "MIT" } },
      servers: [{ url: deps.config.SITE_URL ?? "/" }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          session: { type: "apiKey", in: "cookie", name: getSessionCookieName(deps.config) },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  app.get(`${apiPrefix}/openapi.json`, { schema: { hide: true } as object }, async (_request, reply) => {
    reply.header("cache-control", "public, max-age=60");
    return app.swagger();
  });
  app.addHook("onSend", async (request, reply) => {
    if (!request.url.startsWith("/docs")) return;
    reply.header("content-security-policy", referencePolicy);
    // The page's script is large and changes only with a release.
    if (request.url.startsWith("/docs/js/")) reply.header("cache-control", "public, max-age=86400");
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
